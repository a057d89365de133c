"""Rows of vectors, checked as they are read: as text, and in word2vec's binary format."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import BinaryIO

import numpy as np

from pocketintent.records import without_mark
from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.errors import PocketIntentError

HEADER = re.compile(rb"(?:\xef\xbb\xbf)?([0-9]{1,15}) ([0-9]{1,15}) *\r?\n")
"""The first line of word2vec's formats: the number of rows and their dimension."""

MAX_DIM = 1 << 20
"""A file with a larger dimension in its header is damaged."""

_FIRST_ROWS = 1 << 10
_MAX_TERM_BYTES = 1 << 16


class VectorRows:
    """Collects the rows of a file, vectors of length ``dim``, and checks each."""

    def __init__(self, path: Path, dim: int) -> None:
        self.path, self.dim = path, dim
        self._ids: dict[str, int] = {}
        self._vectors = np.empty((_FIRST_ROWS, dim), np.float32)

    def __len__(self) -> int:
        return len(self._ids)

    def add(self, term: bytes, vector: Sequence[float] | FloatArray, place: str) -> None:
        """Append a term in UTF-8 and its numbers; ``place`` is the line or row of the file.

        PocketIntentError if the term is empty, not UTF-8 or a duplicate, or a number not finite.
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
        """The terms, and their vectors float32 [num_terms, dim]; PocketIntentError without rows."""
        if not self._ids:
            raise PocketIntentError(f"{self.path}: contains no vectors")
        self._vectors.resize((len(self), self.dim), refcheck=False)
        return list(self._ids), self._vectors


def check_header(path: Path, header: re.Match[bytes]) -> tuple[int, int]:
    """Number of rows and dimension of a word2vec file, checked, from a match of HEADER."""
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


def read_binary_rows(file: BinaryIO, path: Path, limit: int | None) -> tuple[list[str], FloatArray]:
    """Read the rows of an unpacked binary file; see :func:`read_text_rows`."""
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
    """Write word2vec's header and rows, float32 [num_terms, dim], each with a line feed."""
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


def read_text_rows(file: BinaryIO, path: Path, limit: int | None) -> tuple[list[str], FloatArray]:
    """Read rows of a term and its numbers, with or without word2vec's header, at most ``limit``.

    Returns the terms, and their vectors float32 [num_terms, dim]. It is a PocketIntentError if a
    row is bad, or the number of rows differs from the header's.
    """
    lines = _numbered_lines(file)
    first = next(lines, None)
    if first is None:
        raise PocketIntentError(f"{path}: contains no vectors")
    num_rows = dim = None
    if header := HEADER.fullmatch(first[1].rstrip(b"\r\n") + b"\n"):
        num_rows, dim = check_header(path, header)
        first = next(lines, None)
        if first is None:
            raise PocketIntentError(
                f"{path}: the header announces {num_rows} rows, but the file has none"
            )
    separator = b"\t" if b"\t" in first[1].strip() else None
    if dim is None:
        dim = len(_fields(first[1], separator)) - 1
        check_dim(path, dim)
    rows = VectorRows(path, dim)
    with np.errstate(over="ignore"):  # a number too large for float32 is reported as infinite
        for number, line in chain([first], lines):
            place = f"line {number}"
            rows.add(*parse_row(line, separator, dim, path, place), place)
            if len(rows) == limit:
                break
            if len(rows) == num_rows and next(lines, None) is not None:
                raise PocketIntentError(f"{path}: has more rows than the {num_rows} of its header")
    if num_rows is not None and len(rows) < min(num_rows, limit or num_rows):
        raise PocketIntentError(
            f"{path}: is truncated: the header announces {num_rows} rows, but the file has "
            f"{len(rows)}"
        )
    return rows.finish()


def write_text_rows(
    file: BinaryIO, terms: Sequence[str], vectors: FloatArray, *, separator: str, header: bool
) -> None:
    """Write rows of text, [num_terms, dim]; nine digits restore each float32 bit for bit."""
    if header:
        file.write(b"%d %d\n" % vectors.shape)
    pattern = separator.join(["%s", *["%.9g"] * vectors.shape[1]]) + "\n"
    for term, vector in zip(terms, vectors, strict=True):
        file.write((pattern % (term, *vector.tolist())).encode())


def _numbered_lines(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """The non-empty lines with their numbers, in bytes, as only the terms need decoding."""
    for number, line in enumerate(file, 1):
        if number == 1:
            line = without_mark(line)
        if line.strip():
            yield number, line


def _fields(line: bytes, separator: bytes | None) -> list[bytes]:
    return line.rstrip(b" \t\r\n").split(separator)


def parse_row(
    line: bytes, separator: bytes | None, dim: int, path: Path, place: str
) -> tuple[bytes, list[float]]:
    """Split a line into its term and its ``dim`` numbers; ``separator`` None is white space."""
    fields = _fields(line, separator)
    surplus = len(fields) - 1 - dim
    # GloVe's largest files have terms with spaces in them, such as ". . .".
    spaced = surplus > 0 and separator is None and not any(map(_is_number, fields[1 : surplus + 1]))
    if surplus and not spaced:
        raise PocketIntentError(
            f"{path}, {place}: {len(fields)} columns; a row is a term and {dim} numbers"
        )
    term, numbers = b"_".join(fields[: surplus + 1]), fields[surplus + 1 :]
    try:
        return term, [float(field) for field in numbers]
    except ValueError:
        bad = next(field for field in numbers if not _is_number(field))
        raise PocketIntentError(
            f"{path}, {place}: {bad[:40].decode(errors='replace')!r} is not a number; a row is a "
            f"term and {dim} numbers, as in files of word2vec, GloVe, fastText and StarSpace"
        ) from None


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True
