"""Reading vectors of words and terms, in whichever of the usual formats they are."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from pocketintent.compression.kinds import table_of
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.corpora.reader import reading
from pocketintent.training.vectors.rows import HEADER, read_binary_rows, read_text_rows
from pocketintent.training.vectors.table import HINT, TermVectors, installed_formats

_HEAD_BYTES = 1 << 16
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")


def read_vectors(
    path: str | Path, limit: int | None = None, *, subwords: bool = False
) -> TermVectors:
    """Read the vectors of a file, whose format is detected from its content, not from its name.

    The formats are word2vec text and binary, GloVe text (no header), fastText ``.vec``, StarSpace
    TSV (tabs, no header), a pocketintent model of kind ``static``, whose rows are decoded, and
    those that are installed beside (:class:`VectorFormat`). All but the model may be packed by
    gzip. Files are streamed or memory-mapped: memory is needed only for the vectors that are read.
    At most ``limit`` rows are read, usually those of the most frequent terms; with ``subwords`` the
    n-grams are too, from formats that have them.

    Returns the terms, in the order of the file, and their vectors. In formats separated by spaces,
    the spaces of a term become underscores. It is a PocketIntentError, which names the line, or the
    row or byte of a binary file, if the file is missing, empty, truncated or not UTF-8, a row has
    the wrong number of columns, a NaN or an infinity, or a term is empty or occurs twice.
    """
    path = Path(path)
    if limit is not None and limit < 1:
        raise PocketIntentError(f"the limit of rows must be 1 or more, not {limit}")
    with reading(path) as (file, packed):
        head = file.read(_HEAD_BYTES)
        file.seek(0)
        if _is_model(head):
            if packed:
                raise PocketIntentError(
                    f"{path}: this format cannot be read packed; unpack it: gunzip"
                )
            return _read_model(path, limit)
        formats = installed_formats()
        for foreign in formats:
            if foreign.matches(head):
                return foreign.read(file, path, limit, packed=packed, subwords=subwords)
        if HEADER.match(head) and _is_binary(head):
            return TermVectors(*read_binary_rows(file, path, limit))
        if b"\0" in head:  # checked before reading a line, which may never end
            raise PocketIntentError(
                f"{path}: is neither text in UTF-8 nor one of the supported binary formats: "
                f"{', '.join(['word2vec', *(f.name for f in formats), 'pocketintent model'])}"
                f"{'' if formats else f'. {HINT}'}"
            )
        return TermVectors(*read_text_rows(file, path, limit))


def _is_model(head: bytes) -> bool:
    """Whether a file begins like safetensors: the length of the header, then its JSON."""
    return head[8:9] == b"{" and int.from_bytes(head[:8], "little") < 1 << 32


def _are_binary_rows(data: bytes, num_rows: int, dim: int) -> bool:
    """Whether data, by chance all text, is exactly the rows of a small binary file."""
    place = 0
    for _ in range(num_rows):
        space = data.find(b" ", place)
        if space < 0:
            return False
        place = space + 1 + 4 * dim
        place += data[place : place + 1] == b"\n"
    return place == len(data)


def _is_binary(head: bytes) -> bool:
    """Whether the rows below a word2vec header are binary."""
    header = HEADER.match(head)
    assert header is not None
    start, dim = header.end(), int(header[2])
    row, newline, _ = head[start:].partition(b"\n")
    fields = row.split()
    cut = not newline and len(head) == _HEAD_BYTES
    if cut:
        fields = fields[:-1]  # the head may end inside the last field
    try:
        # By chance the bytes before a line feed are a number, but not a whole row of numbers.
        whole = 1 < len(fields) <= dim + 1 if cut else len(fields) == dim + 1
        if whole and all(np.isfinite(float(field)) for field in fields[1:]):
            return False
    except ValueError:
        pass
    rows = head[start:]
    return bool(_CONTROL.search(rows)) or _are_binary_rows(rows, int(header[1]), dim)


def _read_model(path: Path, limit: int | None) -> TermVectors:
    encoder = load_encoder(path)
    table = table_of(encoder)
    if table is None:
        raise PocketIntentError(
            f"{path}: a model of kind {encoder.kind!r} has no table of vectors; give one of kind "
            "'static'"
        )
    terms = table.vocabulary.words[:limit]
    return TermVectors(terms, table.words.rows(np.arange(len(terms))))
