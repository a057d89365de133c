"""Typing errors: an unknown word of a query is read as the known word within one edit.

The specification for ports, with test vectors, is ``docs/correction.md``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from string import ascii_lowercase
from typing import Any

from pocketintent.runtime.errors import ModelFileError, shorten
from pocketintent.runtime.text.languages import NEGATIONS, SHORT_FORMS
from pocketintent.runtime.text.tokenizer import simple_tokenize
from pocketintent.runtime.text.vocabulary import (
    MAX_LETTERS,
    MIN_LETTERS,
    Vocabulary,
    can_be_corrected,
)
from pocketintent.runtime.threads import FilledOnUse

MAX_TOKENS = 64
"""Tokens of a text that are corrected; the others stay as they are."""

_LIMITS = {"min_letters": MIN_LETTERS, "max_letters": MAX_LETTERS, "max_tokens": MAX_TOKENS}

_WITH_NOT = (*SHORT_FORMS.split(), "daren", "mightn", "oughtn", "shan")
_OTHER_CONTRACTIONS = (
    "cmon couldve hed heres hes hows itd itll ive lets mightve mustve shed shell shes shouldve "
    "thatd thatll thats thered therell theres theyd theyll theyre theyve twas wed well were weve "
    "whatd whatll whatre whats whens wheres whod wholl whos whove whys wouldve yall youd youll "
    "youre youve"
)

KEPT_WORDS = frozenset(
    filter(
        can_be_corrected,
        [*_WITH_NOT, *(f"{word}t" for word in _WITH_NOT), *_OTHER_CONTRACTIONS.split()]
        + [word for words in NEGATIONS.values() for word in words],
    )
)
"""Negations and contractions, which are never corrected: "aint" is no "paint". A word with an
apostrophe is here without it, and by its part before "'t", since the tokenizer splits it there."""


class Corrector(FilledOnUse):
    """Reads the unknown words of a text as known words.

    A word of the vocabulary or of a bot's own texts is known. An unknown word of ``MIN_LETTERS``
    to ``MAX_LETTERS`` letters from a to z, among the first ``MAX_TOKENS`` tokens of a text,
    becomes a known word within one edit: one letter is left out, added or replaced, or two
    neighbouring letters are swapped (Damerau 1964). Words of the bot come first, in descending
    order of how often they occur in its texts, and of equally frequent words the first in the
    order of their letters; then the words of the vocabulary, in its order.

    ``kept_words``, and words that a pruned model has lost, are right and stay.
    """

    def __init__(
        self, texts: Sequence[str], vocabulary: Vocabulary, kept_words: frozenset[str] = KEPT_WORDS
    ) -> None:
        self.vocabulary = vocabulary
        self._texts = texts
        self._kept_words = kept_words

    def __call__(self, text: str) -> str:
        """The text as it is read: itself, if none of its words is corrected.

        Otherwise the tokenizer's tokens, some of them corrected, with a space between them. A text
        stays as it is if this one would be split into other tokens: if it has more than
        ``MAX_CHARS`` characters, or one that is read otherwise the second time.
        """
        tokens = simple_tokenize(text)
        unknown = set(self.vocabulary.unknown(tokens[:MAX_TOKENS]))
        known_words = {word: known for word in unknown if (known := self._find(word)) is not None}
        if not known_words:
            return text
        first = [known_words.get(token, token) for token in tokens[:MAX_TOKENS]]
        corrected = [*first, *tokens[MAX_TOKENS:]]
        joined = join_tokens(corrected)
        return joined if simple_tokenize(joined) == corrected else text

    def _find(self, word: str) -> str | None:
        """The known word that a word outside the vocabulary is read as; None if there is none."""
        is_right = word in self._kept_words or word in self.vocabulary.lost
        if is_right or not can_be_corrected(word) or word in self._ranks:
            return None
        words = one_edit(word)
        own_words = filter(self._ranks.__contains__, words)
        first = min(own_words, key=self._ranks.__getitem__, default=None)
        return self.vocabulary.first(words) if first is None else first

    @cached_property
    def _ranks(self) -> Mapping[str, int]:
        """The words of the bot's texts and their ranks, counted when they are first needed."""
        counts = Counter(token for text in self._texts for token in simple_tokenize(text))
        words = sorted(counts, key=lambda word: (-counts[word], word))
        return {word: rank for rank, word in enumerate(words)}


def correction_settings(vocabulary: Vocabulary) -> dict[str, Any]:
    """The entry ``correction`` in the manifest of an exported folder.

    Its ``lost_words`` are the sizes in bytes of the filters in the folder's file of lost words.
    """
    sizes = [len(bits) for bits in vocabulary.lost.filters]
    kept_words = sorted(KEPT_WORDS)
    return {"version": 2, **_LIMITS, "kept_words": kept_words, "lost_words": sizes}


def read_settings(settings: object) -> tuple[frozenset[str], list[int]]:
    """The words that are never corrected, and the sizes of the filters; none in version 1.

    ModelFileError for an entry ``correction`` with other rules than those of this runtime.
    """
    entry: dict[str, Any] = settings if isinstance(settings, dict) else {}
    version = entry.get("version")
    words, sizes = entry.get("kept_words", ()), entry.get("lost_words", ())
    limits: dict[str, Any] = {"version": version, **_LIMITS}
    if version == 1 and entry == limits:
        return frozenset(), []
    are_words = isinstance(words, list) and all(isinstance(word, str) for word in words)
    are_sizes = isinstance(sizes, list) and all(type(n) is int and n > 0 for n in sizes)
    if version == 2 and entry.items() >= limits.items() and are_words and are_sizes:
        return frozenset(words), sizes
    raise ModelFileError(
        f"'correction' is {shorten(settings)}, and this runtime has version 2 with {_LIMITS}"
    )


def one_edit(word: str) -> list[str]:
    """The words within one edit of a word without a space: 54 for each of its letters, and 25.

    Some are repeated, and the word itself is among them.
    """
    groups = []  # each is several words with spaces: three times as fast as one at a time
    for place in range(len(word) + 1):
        head, tail = word[:place], word[place:]
        groups.append(head + f"{tail} {head}".join(ascii_lowercase) + tail)
        if tail:
            rest = tail[1:]
            groups += head + rest, head + f"{rest} {head}".join(ascii_lowercase) + rest
        if len(tail) > 1:
            groups.append(head + tail[1] + tail[0] + tail[2:])
    return " ".join(groups).split(" ")


def join_tokens(tokens: Sequence[str]) -> str:
    """A text of these tokens, into which the tokenizer ``simple`` splits it again.

    Exceptions are texts beyond the tokenizer's ``MAX_CHARS``, and characters whose normal form it
    reads otherwise: U+FF40 becomes the symbol U+0060, which is then an apostrophe.
    """
    return " ".join(tokens).replace(" '", "'")
