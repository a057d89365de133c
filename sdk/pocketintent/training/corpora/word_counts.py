"""Counting the tokens of a corpus, and selecting the words that get an embedding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np

from pocketintent.runtime.arrays import IntArray
from pocketintent.runtime.errors import PocketIntentError


@dataclass(frozen=True)
class CountedVocabulary:
    """Words by falling frequency, with their counts."""

    words: list[str]
    """The words; equally frequent ones in alphabetical order."""
    counts: IntArray
    """Occurrences of each in the corpus, int64 [num_words]."""

    def __len__(self) -> int:
        return len(self.words)


def count_vocabulary(
    texts: Iterable[list[str]],
    *,
    min_count: int = 1,
    max_words: int | None = None,
    extra_words: Collection[str] = frozenset(),
) -> CountedVocabulary:
    """Count the tokens of texts and keep the ``max_words`` most frequent words; None for all.

    Words below ``min_count`` are left out, except those in ``extra_words``. Raises
    PocketIntentError if no word is left.
    """
    counter: Counter[str] = Counter()
    for tokens in texts:
        counter.update(tokens)
    kept = [word for word in counter if counter[word] >= min_count or word in extra_words]
    ranked = sorted(kept, key=lambda word: (-counter[word], word))[:max_words]
    if not ranked:
        raise PocketIntentError(
            f"the corpus has no word that occurs {min_count} times or more; "
            "give a larger corpus or a smaller --min-count"
        )
    return CountedVocabulary(ranked, np.array([counter[word] for word in ranked], np.int64))
