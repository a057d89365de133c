"""Rows of vectors in word2vec's binary format: a term, a space, and float32 numbers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

import numpy as np

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.vectors.rows import HEADER, VectorRows, check_header

_MAX_TERM_BYTES = 1 << 16


def read_binary_rows(file: BinaryIO, path: Path, limit: int | None) -> tuple[list[str], FloatArray]:
    """Read the rows of a file that begins with word2vec's header.

    Args:
        file: The unpacked file, at its beginning.
        path: Its name, for messages.
        limit: Number of rows to read; None for all.

    Returns:
        The terms, and their vectors float32 [num_terms, dim].

    Raises:
        PocketIntentError: A row is bad, or the number of rows differs from the header's.
    """
    header = HEADER.fullmatch(file.readline())
    assert header is not None
    num_rows, dim = check_header(path, header)
    rows = VectorRows(path, dim)
    for number in range(1, min(num_rows, limit or num_rows) + 1):
        place = f"row {number} of {num_rows}"
        # The original program ends each row with a line feed, gensim does not.
        term = _read_term(file, path, place).lstrip(b"\n")
        data = file.read(4 * dim)
        if len(data) < 4 * dim:
            raise PocketIntentError(f"{path}, {place}: the file is truncated")
        rows.add(term, np.frombuffer(data, "<f4"), place)
    if len(rows) == num_rows and file.read(2).strip():
        raise PocketIntentError(f"{path}: is longer than the {num_rows} rows of its header")
    return rows.finish()


def write_binary_rows(file: BinaryIO, terms: Sequence[str], vectors: FloatArray) -> None:
    """Write word2vec's header and the rows, with a line feed after each as its program does.

    Args:
        file: The file to write to.
        terms: The terms, without spaces.
        vectors: Their vectors, float32 [num_terms, dim].
    """
    file.write(b"%d %d\n" % vectors.shape)
    for term, vector in zip(terms, vectors, strict=True):
        file.write(term.encode() + b" " + vector.astype("<f4").tobytes() + b"\n")


def _read_term(file: BinaryIO, path: Path, place: str) -> bytes:
    """Read up to the next space."""
    term = bytearray()
    while (byte := file.read(1)) != b" ":
        if not byte:
            raise PocketIntentError(f"{path}, {place}: the file is truncated")
        if len(term) == _MAX_TERM_BYTES:
            raise PocketIntentError(f"{path}, {place}: the file is damaged: there is no term")
        term += byte
    return bytes(term)
