"""Rows of vectors as text: word2vec, GloVe, fastText ``.vec`` and StarSpace TSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import BinaryIO

import numpy as np

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.regular import without_mark
from pocketintent.training.vectors.rows import HEADER, VectorRows, check_dim, check_header


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
    """Write rows of text, below word2vec's header if there is to be one.

    Nine digits restore each float32 bit for bit. The vectors are [num_terms, dim].
    """
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
    """Split a line into its term and its ``dim`` numbers; ``separator`` None is white space.

    A PocketIntentError names ``path`` and ``place``.
    """
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
        return float(field) is not None
    except ValueError:
        return False
