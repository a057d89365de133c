"""The formats of vectors of fastText, Sent2Vec, floret and gensim, for the product to read."""

from __future__ import annotations

import mmap
import shutil
import tempfile
from pathlib import Path
from typing import BinaryIO

import numpy as np

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.vectors.table import TermVectors, VectorFormat
from pocketintent_lab.training.vectors.fasttext import read_fasttext
from pocketintent_lab.training.vectors.fasttext_file import MAGIC
from pocketintent_lab.training.vectors.floret_rows import FLORET_HEADER, read_floret, write_floret
from pocketintent_lab.training.vectors.keyed_vectors import PICKLES, read_keyed_vectors


def _read_fasttext(
    file: BinaryIO, path: Path, limit: int | None, *, packed: bool, subwords: bool
) -> TermVectors:
    return read_fasttext(_map(file, packed), path, limit, subwords=subwords)


def _read_keyed_vectors(
    file: BinaryIO, path: Path, limit: int | None, *, packed: bool, subwords: bool
) -> TermVectors:
    return read_keyed_vectors(file, path, limit, subwords=subwords)


def _read_floret(
    file: BinaryIO, path: Path, limit: int | None, *, packed: bool, subwords: bool
) -> TermVectors:
    if not subwords:
        raise PocketIntentError(
            f"{path}: a floret table has no words, only n-grams; give floret's .bin or .vec file, "
            "or make a model of it: pocketintent-lab train words --from FILE --out FILE.safetensors"
        )
    table = read_floret(file, path)
    return TermVectors([], np.empty((0, table.vectors.shape[1]), np.float32), table)


def _write_floret(file: BinaryIO, path: Path, vectors: TermVectors) -> None:
    subwords = vectors.subwords
    if subwords is None or subwords.settings.hash != "floret":
        raise PocketIntentError(
            f"{path}: the vectors have no n-grams with floret's hash; only those of a floret file "
            "can be written as a .floret table"
        )
    write_floret(file, subwords)


def _map(file: BinaryIO, packed: bool) -> mmap.mmap:
    """A memory map of a file; a packed one is unpacked on disk, not in memory."""
    if not packed:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    with tempfile.TemporaryFile() as unpacked:
        shutil.copyfileobj(file, unpacked, 1 << 20)
        unpacked.flush()
        return mmap.mmap(unpacked.fileno(), 0, access=mmap.ACCESS_READ)


FASTTEXT = VectorFormat(
    "fastText, Sent2Vec, floret", lambda head: head.startswith(MAGIC), _read_fasttext
)
KEYED_VECTORS = VectorFormat(
    "gensim's KeyedVectors", lambda head: head.startswith(PICKLES), _read_keyed_vectors
)
FLORET = VectorFormat(
    "floret's table",
    lambda head: FLORET_HEADER.match(head) is not None,
    _read_floret,
    suffix=".floret",
    write=_write_floret,
)
