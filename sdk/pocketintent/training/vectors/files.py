"""Vectors of words and terms in files: any usual format in, three formats out."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.atomic import replacing
from pocketintent.runtime.files.model_file import save_model
from pocketintent.runtime.quantization.matrices import DenseMatrix
from pocketintent.runtime.text.tokenizer import SIMPLE_SPEC
from pocketintent.runtime.text.vocabulary import Vocabulary
from pocketintent.training.vectors.fasttext import MAGIC, read_fasttext
from pocketintent.training.vectors.rows import (
    HEADER,
    read_binary_rows,
    read_text_rows,
    write_binary_rows,
    write_text_rows,
)

_GZIP = b"\x1f\x8b"
_HEAD_BYTES = 1 << 16
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")


@dataclass(frozen=True, eq=False)
class TermVectors:
    """Words and multi-word terms with their vectors.

    Attributes:
        terms: The terms; those of several words are joined by underscores, `machine_learning`.
        vectors: Their vectors, float32 [num_terms, dim].

    Raises:
        PocketIntentError: The vectors are no float32 matrix with a row for each term.
    """

    terms: list[str]
    vectors: FloatArray

    def __post_init__(self) -> None:
        shape = self.vectors.shape
        if self.vectors.dtype != np.float32 or len(shape) != 2 or shape[0] != len(self.terms):
            raise PocketIntentError(
                f"{len(self.terms)} terms need float32 vectors [{len(self.terms)}, dim], not "
                f"{self.vectors.dtype} {list(shape)}"
            )

    def __len__(self) -> int:
        return len(self.terms)

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return int(self.vectors.shape[1])


def read_vectors(path: str | Path, limit: int | None = None) -> TermVectors:
    """Read the vectors of a file; its format is found from its content, not from its name.

    Read are word2vec text and binary, GloVe text (no header), fastText ``.vec`` and ``.bin``,
    StarSpace TSV (tabs, no header), all but fastText ``.bin`` also packed by gzip; and a
    pocketintent model of kind ``static``, whose rows are decoded. Files are streamed: memory
    holds the vectors that are read, and no more.

    Args:
        path: The file.
        limit: Read the first so many rows, as a rule the most frequent terms; None for all.

    Returns:
        The terms in the order of the file. In formats separated by spaces, a term that holds
        spaces gets underscores.

    Raises:
        PocketIntentError: The file is missing, empty, truncated or not UTF-8; a row has the
            wrong number of columns, a NaN or an infinity; a term is empty or stands twice. The
            message names file and line, or row in binary formats.
    """
    path = Path(path)
    if limit is not None and limit < 1:
        raise PocketIntentError(f"the limit of rows must be 1 or more, not {limit}")
    with _reading(path) as (file, packed):
        head = file.read(_HEAD_BYTES)
        file.seek(0)
        if _is_model(head):
            _refuse_packed(path, packed)
            return _read_model(path, limit)
        if head.startswith(MAGIC):
            _refuse_packed(path, packed)
            return TermVectors(*read_fasttext(path, limit))
        if HEADER.match(head) and _is_binary(head):
            return TermVectors(*read_binary_rows(file, path, limit))
        if b"\0" in head:  # before a line is sought that may never end
            raise PocketIntentError(
                f"{path}: is neither text in UTF-8 nor one of the binary formats that are known: "
                "word2vec, fastText .bin, pocketintent model"
            )
        return TermVectors(*read_text_rows(file, path, limit))


def write_vectors(path: str | Path, vectors: TermVectors) -> None:
    """Write vectors; the suffix chooses the format. A write that fails leaves the old file.

    ========================= ====================================================
    ``.bin``                  word2vec binary
    ``.tsv``, ``.tsv.gz``     StarSpace TSV, in which terms keep their spaces
    ``.safetensors``          a pocketintent model, see :func:`to_encoder`
    any other, also ``.gz``   word2vec text, which is fastText's ``.vec`` too
    ========================= ====================================================

    Text holds nine digits of a number, from which float32 is read back bit for bit.

    Args:
        path: The file to write or replace.
        vectors: What to write. Without ``.tsv``, white space in a term becomes an underscore.

    Raises:
        PocketIntentError: A term is empty, not valid Unicode, or stands twice (after its spaces
            were replaced), or a vector holds NaN or infinity.
        OSError: The file cannot be written.
    """
    path = Path(path)
    name = path.name.removesuffix(".gz")
    if name.endswith(".tsv"):
        terms = vectors.terms
        bad = next((term for term in terms if re.search(r"[\t\r\n]", term)), None)
        if bad is not None:
            raise PocketIntentError(f"{path}: the term {bad!r} holds a tab or a line end")
    else:
        terms = ["_".join(term.split()) for term in vectors.terms]
    _check_rows(path, terms, vectors.vectors)
    if path.suffix == ".safetensors":
        encoder = to_encoder(TermVectors(terms, vectors.vectors))
        save_model(path, *encoder.to_model_file_parts())
        return
    with replacing(path) as temporary, _writing(temporary, packed=path.suffix == ".gz") as file:
        if name.endswith(".bin"):
            write_binary_rows(file, terms, vectors.vectors)
        else:
            is_tsv = name.endswith(".tsv")
            write_text_rows(
                file, terms, vectors.vectors, separator="\t" if is_tsv else " ", header=not is_tsv
            )


def to_encoder(
    vectors: TermVectors,
    *,
    tokenizer_spec: Mapping[str, Any] = SIMPLE_SPEC,
    manifest: Mapping[str, Any] | None = None,
) -> StaticEncoder:
    """Vectors as an encoder: a text is the sum of its words' vectors, at unit length.

    Args:
        vectors: Words and terms. A term that the tokenizer never yields, such as one with an
            underscore or a capital letter, keeps its row and is never looked up.
        tokenizer_spec: The manifest's tokenizer entry.
        manifest: Further manifest entries, such as ``training``.

    Returns:
        The encoder, ready for ``save_model(path, *encoder.to_model_file_parts())``.

    Raises:
        ModelFileError: A term is empty or stands twice.
    """
    return StaticEncoder(
        Vocabulary(vectors.terms),
        DenseMatrix(vectors.vectors),
        tokenizer_spec=tokenizer_spec,
        manifest=manifest,
    )


@contextmanager
def _reading(path: Path) -> Iterator[tuple[BinaryIO, bool]]:
    """The file, unpacked when it is a gzip, and whether it is one."""
    try:
        with path.open("rb", buffering=1 << 18) as file:
            packed = file.read(2) == _GZIP
            file.seek(0)
            if packed:
                with gzip.open(file) as unpacked:
                    yield cast(BinaryIO, unpacked), True
            else:
                yield file, False
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise PocketIntentError(f"{path}: broken gzip: {error}") from error
    except OSError as error:
        raise PocketIntentError(f"{path}: cannot be read: {error.strerror or error}") from error


@contextmanager
def _writing(path: Path, *, packed: bool) -> Iterator[BinaryIO]:
    with path.open("wb", buffering=1 << 18) as file:
        if not packed:
            yield file
            return
        # Without a name and a time of its own, one matrix gives one file.
        with gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0) as archive:
            yield cast(BinaryIO, archive)


def _is_model(head: bytes) -> bool:
    """Whether a file begins as safetensors do: the header's length, then its JSON."""
    return head[8:9] == b"{" and int.from_bytes(head[:8], "little") < 1 << 32


def _refuse_packed(path: Path, packed: bool) -> None:
    if packed:
        raise PocketIntentError(f"{path}: this format cannot be read packed; unpack it: gunzip")


def _is_binary(head: bytes) -> bool:
    """Whether the rows under a word2vec header are binary."""
    header = HEADER.match(head)
    assert header is not None
    start, dim = header.end(), int(header[2])
    row, newline, _ = head[start:].partition(b"\n")
    fields = row.split()
    cut = not newline and len(head) == _HEAD_BYTES
    if cut:
        fields = fields[:-1]  # in the middle
    try:
        # By chance the bytes before a line feed can be a number, but not so many of them.
        whole = 1 < len(fields) <= dim + 1 if cut else len(fields) == dim + 1
        if whole and all(np.isfinite(float(field)) for field in fields[1:]):
            return False
    except ValueError:
        pass
    rows = head[start:]
    if _CONTROL.search(rows):
        return True
    try:
        # The head may end inside a character of up to four bytes.
        rows[: rows.rfind(b"\n") + 1 or None].decode()
    except UnicodeDecodeError as error:
        return error.start < len(rows) - 3
    return False


def _read_model(path: Path, limit: int | None) -> TermVectors:
    encoder = load_encoder(path)
    if not isinstance(encoder, StaticEncoder):
        kind = getattr(encoder, "kind", "unknown")
        raise PocketIntentError(
            f"{path}: a model of kind {kind!r} has no table of vectors; give one of kind 'static'"
        )
    terms = encoder.vocabulary.words[:limit]
    return TermVectors(terms, encoder.words.rows(np.arange(len(terms))))


def _check_rows(path: Path, terms: list[str], vectors: FloatArray) -> None:
    if not terms or not vectors.shape[1]:
        raise PocketIntentError(f"{path}: there are no vectors to write")
    seen: dict[str, int] = {}
    for number, term in enumerate(terms):
        if not term:
            raise PocketIntentError(f"{path}: term {number} is empty")
        if seen.setdefault(term, number) != number:
            raise PocketIntentError(
                f"{path}: terms {seen[term]} and {number} are both {term!r}; "
                "every term needs one row of its own"
            )
        try:
            term.encode()
        except UnicodeEncodeError as error:
            raise PocketIntentError(f"{path}: the term {term!r} is not valid Unicode") from error
    finite = np.isfinite(vectors).all(axis=1)
    if not finite.all():
        number = int(np.flatnonzero(~finite)[0])
        raise PocketIntentError(f"{path}: the vector of {terms[number]!r} is not finite")
