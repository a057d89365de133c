"""From a text to the characters that a character encoder reads; specified in docs/charemb.md."""

from __future__ import annotations

import re
import unicodedata

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.text.tokenizer import MAX_CHARS as RAW_CHARS

NORMALISATION = "nfkc-lower-1"
"""Name of the rules of :func:`normalise_chars`, which a model file states."""

UNKNOWN = 0
"""The number of every character that the model does not know."""

_APOSTROPHES = str.maketrans(dict.fromkeys("\u2019\u2018\u02bc\u0060\u00b4", "'"))
_ASCII_SEPARATORS = re.compile(r"[\x00-\x20_\x7f]+")
_SPACES = re.compile(" {2,}")
_SEPARATOR_CATEGORIES = {"Cc", "Cf", "Cs", "Zs", "Zl", "Zp"}


def normalise_chars(text: str, max_chars: int) -> str:
    """A text in the form in which its characters are read.

    Cut to ``RAW_CHARS`` code points, apostrophes made one, NFKC, lower case, runs of white
    space, control, format and surrogate characters and underscores made one space, none at
    the ends, cut to ``max_chars``. The underscore is what joins the words of a term.

    Args:
        text: Any string.
        max_chars: Code points that are kept.

    Returns:
        The text; empty when nothing of it can be read.
    """
    text = text[:RAW_CHARS]
    if text.isascii():
        text = _ASCII_SEPARATORS.sub(" ", text.replace("`", "'").lower())
    else:
        text = unicodedata.normalize("NFKC", text.translate(_APOSTROPHES)).lower()
        text = _SPACES.sub(" ", "".join(" " if _separates(char) else char for char in text))
    return text.strip(" ")[:max_chars].rstrip(" ")


def _separates(char: str) -> bool:
    return char == "_" or unicodedata.category(char) in _SEPARATOR_CATEGORIES


class CharVocabulary:
    """The characters that a model knows, numbered from 1; :data:`UNKNOWN` is any other.

    Args:
        characters: They, each once.
        max_chars: Code points of a text that are read.

    Raises:
        ModelFileError: A character stands twice, or ``max_chars`` is below 1.
    """

    def __init__(self, characters: str, max_chars: int) -> None:
        self._numbers = {char: number for number, char in enumerate(characters, start=1)}
        if len(self._numbers) != len(characters):
            raise ModelFileError("a character stands twice among the model's characters")
        if max_chars < 1:
            raise ModelFileError(f"max_chars must be 1 or more, not {max_chars}")
        self.characters = characters
        self.max_chars = max_chars
        self._space = self._numbers.get(" ", UNKNOWN)

    def __len__(self) -> int:
        """How many numbers there are, that of unknown characters included."""
        return len(self.characters) + 1

    def numbers(self, text: str) -> list[int]:
        """The numbers of a text's characters, after :func:`normalise_chars`.

        Returns:
            One number for each character that is left; none when the model knows none of
            them but the space.
        """
        numbers = self.numbers_of_normalised(normalise_chars(text, self.max_chars))
        if all(number in (UNKNOWN, self._space) for number in numbers):
            return []
        return numbers

    def numbers_of_normalised(self, text: str) -> list[int]:
        """The numbers of a text that :func:`normalise_chars` gave."""
        get = self._numbers.get
        return [get(char, UNKNOWN) for char in text]

    def code_points(self) -> NDArray[np.uint32]:
        """The characters as uint32 ``[len(self) - 1]``, as a model file keeps them."""
        return np.array([ord(char) for char in self.characters], np.uint32)

    @classmethod
    def from_code_points(cls, points: NDArray[np.uint32], max_chars: int) -> CharVocabulary:
        """The vocabulary that a model file keeps.

        Raises:
            ModelFileError: A number is no code point, or a character stands twice.
        """
        if points.size and int(points.max()) > 0x10FFFF:
            raise ModelFileError(f"{int(points.max())} is no code point of Unicode")
        return cls("".join(map(chr, points.tolist())), max_chars)
