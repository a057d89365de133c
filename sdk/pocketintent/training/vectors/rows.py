"""Rows of word vectors as text and as word2vec's binary format, one row at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import numpy as np

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.errors import PocketIntentError

HEADER = re.compile(rb"(?:\xef\xbb\xbf)?([0-9]{1,15}) ([0-9]{1,15}) *\r?\n")
"""The first line of word2vec's formats: the number of rows and their dimension."""

MAX_DIM = 1 << 20
"""A larger dimension in a header is taken for damage."""

_MAX_TERM_BYTES = 1 << 16
_FIRST_ROWS = 1 << 10


class VectorRows:
    """Rows as they are read, with the checks that all formats share.

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
        """Take one row in.

        Raises:
            PocketIntentError: The term is empty, not UTF-8 or known already, or the vector is
                not finite.
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
                f"{self.path}, {place}: the term {text!r} stands a second time, it is row "
                f"{self._ids[text] + 1} already; leave one of them"
            )
        if number == len(self._vectors):
            # realloc: a fresh copy would need the memory twice.
            self._vectors.resize((number * 3 // 2, self.dim), refcheck=False)
        self._vectors[number] = vector
        if not np.isfinite(self._vectors[number]).all():
            raise PocketIntentError(
                f"{self.path}, {place}: the vector of {text!r} holds NaN or infinity"
            )

    def finish(self) -> tuple[list[str], FloatArray]:
        """The terms, and their vectors float32 [num_terms, dim]."""
        if not self._ids:
            raise PocketIntentError(f"{self.path}: holds no vectors")
        self._vectors.resize((len(self), self.dim), refcheck=False)
        return list(self._ids), self._vectors


def read_text_rows(file: BinaryIO, path: Path, limit: int | None) -> tuple[list[str], FloatArray]:
    """Rows of text: a term and its numbers, with or without word2vec's header.

    Args:
        file: The unpacked file, at its beginning.
        path: Its name, for messages.
        limit: Read the first so many rows; None for all.

    Returns:
        The terms, and their vectors float32 [num_terms, dim].

    Raises:
        PocketIntentError: A row is bad, or there are not as many as the header says.
    """
    lines = _numbered_lines(file)
    first = next(lines, None)
    if first is None:
        raise PocketIntentError(f"{path}: holds no vectors")
    wanted = dim = None
    if header := HEADER.fullmatch(first[1].rstrip(b"\r\n") + b"\n"):
        wanted, dim = _check_header(path, header)
        first = next(lines, None)
        if first is None:
            raise PocketIntentError(f"{path}: the header says {wanted} rows, the file has none")
    separator = b"\t" if b"\t" in first[1].strip() else None
    if dim is None:
        dim = len(_fields(first[1], separator)) - 1
        _check_dim(path, dim)
    rows = VectorRows(path, dim)
    with np.errstate(over="ignore"):  # what is too large for float32 is reported as infinite
        for number, line in _chain(first, lines):
            place = f"line {number}"
            rows.add(*_parse_row(line, separator, dim, path, place), place)
            if len(rows) == limit:
                break
            if len(rows) == wanted and next(lines, None) is not None:
                raise PocketIntentError(f"{path}: has more rows than the {wanted} of its header")
    if wanted is not None and len(rows) < min(wanted, limit or wanted):
        raise PocketIntentError(
            f"{path}: is truncated: the header says {wanted} rows, the file has {len(rows)}"
        )
    return rows.finish()


def read_binary_rows(file: BinaryIO, path: Path, limit: int | None) -> tuple[list[str], FloatArray]:
    """Rows of word2vec's binary format: a term, a space, and float32 numbers.

    Arguments, result and errors are those of :func:`read_text_rows`.
    """
    header = HEADER.fullmatch(file.readline())
    assert header is not None
    wanted, dim = _check_header(path, header)
    rows = VectorRows(path, dim)
    for number in range(1, min(wanted, limit or wanted) + 1):
        place = f"row {number} of {wanted}"
        # The original program ends each row with a line feed, gensim does not.
        term = _read_term(file, path, place).lstrip(b"\n")
        data = file.read(4 * dim)
        if len(data) < 4 * dim:
            raise PocketIntentError(f"{path}, {place}: the file is truncated")
        rows.add(term, np.frombuffer(data, "<f4"), place)
    if len(rows) == wanted and file.read(2).strip():
        raise PocketIntentError(f"{path}: is longer than the {wanted} rows of its header")
    return rows.finish()


def write_text_rows(
    file: BinaryIO, terms: Sequence[str], vectors: FloatArray, *, separator: str, header: bool
) -> None:
    """Write rows of text; nine digits give each float32 back bit for bit."""
    if header:
        file.write(b"%d %d\n" % vectors.shape)
    pattern = separator.join(["%s", *["%.9g"] * vectors.shape[1]]) + "\n"
    for term, vector in zip(terms, vectors, strict=True):
        file.write((pattern % (term, *vector.tolist())).encode())


def write_binary_rows(file: BinaryIO, terms: Sequence[str], vectors: FloatArray) -> None:
    """Write word2vec's binary format, with a line feed after each row as its program does."""
    file.write(b"%d %d\n" % vectors.shape)
    for term, vector in zip(terms, vectors, strict=True):
        file.write(term.encode() + b" " + vector.astype("<f4").tobytes() + b"\n")


def _numbered_lines(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Lines that are not empty, with their numbers; a byte order mark is left out."""
    for number, line in enumerate(file, 1):
        if number == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")
        if line.strip():
            yield number, line


def _chain(
    first: tuple[int, bytes], rest: Iterator[tuple[int, bytes]]
) -> Iterator[tuple[int, bytes]]:
    yield first
    yield from rest


def _fields(line: bytes, separator: bytes | None) -> list[bytes]:
    return line.rstrip(b" \t\r\n").split(separator)


def _parse_row(
    line: bytes, separator: bytes | None, dim: int, path: Path, place: str
) -> tuple[bytes, list[float]]:
    """The term and the numbers of a line."""
    fields = _fields(line, separator)
    surplus = len(fields) - 1 - dim
    # GloVe's largest files have terms with spaces in them, such as «. . .».
    spaced = surplus > 0 and separator is None and not any(map(_is_number, fields[1 : surplus + 1]))
    if surplus and not spaced:
        raise PocketIntentError(
            f"{path}, {place}: {len(fields)} columns, wanted a term and {dim} numbers"
        )
    try:
        return b"_".join(fields[: surplus + 1]), [float(field) for field in fields[surplus + 1 :]]
    except ValueError:
        bad = next(field for field in islice(fields, surplus + 1, None) if not _is_number(field))
        shown = bad[:40].decode(errors="replace")
        raise PocketIntentError(
            f"{path}, {place}: {shown!r} is no number; wanted a term and {dim} numbers, as "
            "word2vec, GloVe, fastText or StarSpace write them"
        ) from None


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _read_term(file: BinaryIO, path: Path, place: str) -> bytes:
    term = bytearray()
    while (byte := file.read(1)) != b" ":
        if not byte or len(term) == _MAX_TERM_BYTES:
            what = "the file is truncated" if not byte else "the file is damaged: no term here"
            raise PocketIntentError(f"{path}, {place}: {what}")
        term += byte
    return bytes(term)


def _check_header(path: Path, header: re.Match[bytes]) -> tuple[int, int]:
    num_rows, dim = int(header[1]), int(header[2])
    if num_rows == 0:
        raise PocketIntentError(f"{path}: holds no vectors")
    _check_dim(path, dim)
    return num_rows, dim


def _check_dim(path: Path, dim: int) -> None:
    if not 1 <= dim <= MAX_DIM:
        raise PocketIntentError(
            f"{path}, line 1: vectors of {dim} dimensions; wanted 1 to {MAX_DIM}, as word2vec, "
            "GloVe, fastText or StarSpace write them"
        )
