"""From a text to the characters that a character encoder reads: see ``docs/charemb.md``."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.text.tokenizer import MAX_CHARS, normalise

NORMALISATION = "nfkc-lower-1"
"""Name of the rules of :func:`normalise_chars` in a model file."""

UNKNOWN = 0
"""The number of all characters that the model does not know."""

MAX_UNKNOWN_WORDS = 128
"""Different unknown words of a text that a character network reads: the bound on its work. The
longest utterance of BANKING77 has 84 words in all; 4,096 characters have room for 2,048."""

_ASCII_SEPARATORS = re.compile(r"[\x00-\x20_\x7f]+")
_SPACES = re.compile(" {2,}")
_SEPARATOR_CATEGORIES = {"Cc", "Cf", "Cs", "Zs", "Zl", "Zp"}


def normalise_chars(text: str, max_chars: int) -> str:
    """A text in the form in which its characters are read; empty without a readable character.

    The steps: cut to ``MAX_CHARS`` code points; replace all apostrophes by ``'``; NFKC; lower
    case; replace each run of white space, control, format and surrogate characters and of
    underscores, which join the words of a term, by one space; strip spaces; cut to ``max_chars``.
    """
    text = text[:MAX_CHARS]
    if text.isascii():
        text = _ASCII_SEPARATORS.sub(" ", text.replace("`", "'").lower())
    else:
        chars = (" " if _separates(char) else char for char in normalise(text))
        text = _SPACES.sub(" ", "".join(chars))
    return text.strip(" ")[:max_chars].rstrip(" ")


def _separates(char: str) -> bool:
    return char == "_" or unicodedata.category(char) in _SEPARATOR_CATEGORIES


class CharVocabulary:
    """The characters that a model knows, numbered from 1; all others are :data:`UNKNOWN`.

    Of a text, ``max_chars`` code points are read. Raises ModelFileError for a repeated character.
    """

    def __init__(self, characters: str, max_chars: int) -> None:
        self._numbers = {char: number for number, char in enumerate(characters, start=1)}
        if len(self._numbers) != len(characters):
            raise ModelFileError("a character appears twice among the model's characters")
        if max_chars < 1:
            raise ModelFileError(f"max_chars must be 1 or more, not {max_chars}")
        self.characters = characters
        self.max_chars = max_chars
        self._space = self._numbers.get(" ", UNKNOWN)

    def __len__(self) -> int:
        """Number of characters, plus one for unknown characters."""
        return len(self.characters) + 1

    def numbers(self, text: str) -> list[int]:
        """The numbers of a text's normalised characters; none if only the space is known."""
        numbers = self.numbers_of_normalised(normalise_chars(text, self.max_chars))
        if all(number in (UNKNOWN, self._space) for number in numbers):
            return []
        return numbers

    def numbers_of_normalised(self, text: str) -> list[int]:
        """Look up the numbers of a text that :func:`normalise_chars` returned."""
        get = self._numbers.get
        return [get(char, UNKNOWN) for char in text]

    def code_points(self) -> NDArray[np.uint32]:
        """Return the characters as uint32 ``[len(self) - 1]``, for a model file."""
        return np.array([ord(char) for char in self.characters], np.uint32)

    @classmethod
    def from_code_points(cls, points: NDArray[np.uint32], max_chars: int) -> CharVocabulary:
        """Read what :meth:`code_points` gave; ModelFileError if it is damaged."""
        if points.size and int(points.max()) > 0x10FFFF:
            raise ModelFileError(f"{int(points.max())} is not a code point of Unicode")
        return cls("".join(map(chr, points.tolist())), max_chars)


def limit_unknown_words(tokens: Sequence[str], table: Container[str] = ()) -> Sequence[str]:
    """Leave out the unknown words of a text after the first ``MAX_UNKNOWN_WORDS`` different ones.

    The words of ``table`` are known. The others stay in order and as often as they occur.
    """
    if len(tokens) <= MAX_UNKNOWN_WORDS:
        return tokens
    unknown = dict.fromkeys(token for token in tokens if token not in table)
    skipped = set(islice(unknown, MAX_UNKNOWN_WORDS, None))
    return [token for token in tokens if token not in skipped] if skipped else tokens
