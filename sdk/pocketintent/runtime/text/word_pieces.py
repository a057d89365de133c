"""Word pieces: a word outside the vocabulary is read as the longest pieces that make it up.

The specification for ports, with test vectors, is ``docs/tokenizer.md``.
"""

from __future__ import annotations

from collections.abc import Iterable

from pocketintent.runtime.text.vocabulary import Vocabulary

INSIDE = "##"
"""Prefix of the pieces that continue a word; no token of ``simple`` contains it."""

MAX_PIECE = 64
"""Longest piece, prefix included, that a word is split into; BERT's longest has 18 characters. A
longer entry of the vocabulary is read where it is a whole word, so that the time is bounded."""


class WordPieces:
    """Splits words into the pieces of a vocabulary, the longest first (Wu et al. 2016, WordPiece).

    A piece at the start of a word is an entry of the vocabulary as it is, any other has ``INSIDE``
    before it. A code point with which no piece starts is left out.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._longest = min(max(map(len, vocabulary), default=0), MAX_PIECE)

    def __call__(self, words: Iterable[str]) -> list[str]:
        """The pieces of words, in order; a word of the vocabulary is one piece."""
        pieces: list[str] = []
        for word in words:
            if word in self._vocabulary:
                pieces.append(word)
            else:
                pieces += self._split(word)
        return pieces

    def _split(self, word: str) -> list[str]:
        pieces: list[str] = []
        start = 0
        while start < len(word):
            prefix = INSIDE if start else ""
            last = start + self._longest - len(prefix)
            for end in range(min(len(word), last), start, -1):
                if (piece := prefix + word[start:end]) in self._vocabulary:
                    pieces.append(piece)
                    start = end
                    break
            else:
                start += 1
        return pieces


def whole_words(vocabulary: Vocabulary) -> Vocabulary:
    """The entries of a vocabulary of pieces that a word can start with, and its lost words."""
    return Vocabulary([w for w in vocabulary.words if not w.startswith(INSIDE)], vocabulary.lost)
