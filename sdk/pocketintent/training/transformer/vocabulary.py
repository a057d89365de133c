"""The vocabulary of a transformer: frequent words of its texts, and pieces for all others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from pocketintent.runtime.text.tokenizer import simple_tokenize
from pocketintent.runtime.text.vocabulary import LostWords, Vocabulary
from pocketintent.runtime.text.word_pieces import INSIDE, WordPieces
from pocketintent.training.corpora.word_counts import CountedVocabulary

_RIGHT = 2  # occurrences of a word that is taken for a right one


def choose_words(
    texts: Iterable[str], pieces: Sequence[str], *, max_words: int, min_count: int
) -> tuple[CountedVocabulary, LostWords]:
    """The words and pieces that a model reads, with their counts, and the words it has to split.

    Words of the texts are words of their own if they occur ``min_count`` times or are among the
    ``pieces``, those of another model. Of these and of the pieces inside the other words the most
    frequent ``max_words`` are chosen. Single characters come first, so that any word of them can be
    read. A word that has to be split is right if it occurs twice.
    """
    counts = Counter(token for text in texts for token in simple_tokenize(text))
    known = set(pieces)
    own = [word for word, count in counts.items() if count >= min_count or word in known]
    inside = [piece for piece in pieces if piece.startswith(INSIDE)]
    single = [piece for piece in pieces if len(piece.removeprefix(INSIDE)) == 1]
    candidates = list(dict.fromkeys([*single, *own, *inside]))
    for _ in range(2):  # words that are left out are read as pieces, which then count more
        usage = Counter[str]()
        split = WordPieces(Vocabulary(candidates))
        for word, count in counts.items():
            for piece in split([word]):
                usage[piece] += count
        needed = set(single)
        ranked = sorted(candidates, key=lambda word: (word not in needed, -usage[word], word))
        candidates = [word for word in ranked[:max_words] if usage[word] or word in needed]
    candidates.sort(key=lambda word: (-usage[word], word))
    chosen = set(candidates)
    lost = (word for word, count in counts.items() if count >= _RIGHT and word not in chosen)
    words = CountedVocabulary(candidates, np.array([usage[w] for w in candidates], np.int64))
    return words, LostWords().with_words(sorted(lost))
