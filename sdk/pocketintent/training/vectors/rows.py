"""Rows of vectors, checked as they are read: what all formats share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.errors import PocketIntentError

HEADER = re.compile(rb"(?:\xef\xbb\xbf)?([0-9]{1,15}) ([0-9]{1,15}) *\r?\n")
"""The first line of word2vec's formats: the number of rows and their dimension."""

MAX_DIM = 1 << 20
"""A file with a larger dimension in its header is damaged."""

_FIRST_ROWS = 1 << 10


class VectorRows:
    """Collects rows and checks each.

    Args:
        path: The file, for messages.
        dim: Length of a vector.
    """

    def __init__(self, path: Path, dim: int) -> None:
        self.path = path
        self.dim = dim
        self._ids: dict[str, int] = {}
        self._vectors = np.empty((_FIRST_ROWS, dim), np.float32)

    def __len__(self) -> int:
        return len(self._ids)

    def add(self, term: bytes, vector: Sequence[float] | FloatArray, place: str) -> None:
        """Append a row.

        Args:
            term: The term in UTF-8.
            vector: Its ``dim`` numbers.
            place: The line or row of the file, for messages.

        Raises:
            PocketIntentError: The term is empty, not UTF-8 or a duplicate, or the vector is not
                finite.
        """
        try:
            text = term.decode()
        except UnicodeDecodeError as error:
            raise PocketIntentError(
                f"{self.path}, {place}: the term {term[:40]!r} is not UTF-8 ({error.reason}); "
                "convert the file to UTF-8"
            ) from error
        number = len(self._ids)
        if not text:
            raise PocketIntentError(f"{self.path}, {place}: the term is empty")
        if self._ids.setdefault(text, number) != number:
            raise PocketIntentError(
                f"{self.path}, {place}: the term {text!r} is a duplicate of row "
                f"{self._ids[text] + 1}; remove one of them"
            )
        if number == len(self._vectors):
            # realloc, since a copy would need twice the memory.
            self._vectors.resize((number * 3 // 2, self.dim), refcheck=False)
        self._vectors[number] = vector
        if not np.isfinite(self._vectors[number]).all():
            raise PocketIntentError(
                f"{self.path}, {place}: the vector of {text!r} contains NaN or infinity"
            )

    def finish(self) -> tuple[list[str], FloatArray]:
        """The terms, and their vectors float32 [num_terms, dim].

        Raises:
            PocketIntentError: There are no rows.
        """
        if not self._ids:
            raise PocketIntentError(f"{self.path}: contains no vectors")
        self._vectors.resize((len(self), self.dim), refcheck=False)
        return list(self._ids), self._vectors


def check_header(path: Path, header: re.Match[bytes]) -> tuple[int, int]:
    """Number of rows and dimension of a word2vec file, from a match of :data:`HEADER`.

    Raises:
        PocketIntentError: There are no rows, or the dimension is out of range.
    """
    num_rows, dim = int(header[1]), int(header[2])
    if num_rows == 0:
        raise PocketIntentError(f"{path}: contains no vectors")
    check_dim(path, dim)
    return num_rows, dim


def check_dim(path: Path, dim: int) -> None:
    """Raise PocketIntentError for a dimension that the first line of a file cannot have."""
    if not 1 <= dim <= MAX_DIM:
        raise PocketIntentError(
            f"{path}, line 1: vectors of {dim} dimensions; word2vec, GloVe, fastText and "
            f"StarSpace files have 1 to {MAX_DIM}"
        )
