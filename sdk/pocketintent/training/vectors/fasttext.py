"""fastText's ``.bin`` files: the vectors of the words, n-grams included."""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.errors import PocketIntentError, require
from pocketintent.runtime.files.regular import open_regular
from pocketintent.training.vectors.rows import MAX_DIM, VectorRows

MAGIC = struct.pack("<i", 793712314)
"""The first bytes of a fastText model."""

_VERSIONS = (11, 12)
_QUANTISED = "the fastText model is quantised; give the .bin file before quantisation"
_HEADER = struct.Struct("<2i12id")  # magic, version, twelve settings, the subsampling threshold
_SIZES = struct.Struct("<3i2q")  # entries, words, labels, tokens of the corpus, pruned n-grams
_ENTRY = struct.Struct("<qb")  # count and type that follow a word
_MATRIX = struct.Struct("<?2q")  # quantised or not, rows, columns


@dataclass(frozen=True)
class _Layout:
    """The parts of a file from which the words' vectors are computed."""

    words: list[bytes]
    matrix: NDArray[np.float32]  # words, then n-gram buckets
    min_n: int
    max_n: int
    num_buckets: int


def read_fasttext(path: Path, limit: int | None) -> tuple[list[str], FloatArray]:
    """Read the words' vectors of a fastText model, as fastText's ``getWordVector`` returns them.

    The vector of a word is the mean of its row and the rows of its n-grams (Bojanowski et al.
    2017). The file is memory-mapped, so the n-gram table need not fit in memory.

    Args:
        path: The file.
        limit: Number of words to read; None for all.

    Returns:
        The words, most frequent first, and their vectors float32 [num_words, dim].

    Raises:
        PocketIntentError: The file is truncated, damaged, quantised, or of another version.
        MissingExtraError: The model has n-grams and gensim is not installed.
    """
    with open_regular(path) as file:
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    try:
        layout = _read_layout(data, path)
    except struct.error as error:
        raise PocketIntentError(f"{path}: the fastText model is truncated") from error
    has_ngrams = layout.max_n > 0 and layout.num_buckets > 0
    hashes = require("gensim.models.fasttext", "train").ft_ngram_hashes if has_ngrams else None
    rows = VectorRows(path, layout.matrix.shape[1])
    for number, word in enumerate(layout.words[:limit]):
        ids = [number]
        if hashes is not None and word != b"</s>":  # the end of a sentence has no n-grams
            text = word.decode(errors="replace")  # VectorRows.add reports what is not UTF-8
            buckets = hashes(text, layout.min_n, layout.max_n, layout.num_buckets)
            ids += [len(layout.words) + bucket for bucket in buckets]
        vector = layout.matrix[ids].sum(axis=0, dtype=np.float32) / np.float32(len(ids))
        rows.add(word, vector, f"word {number + 1}")
    return rows.finish()


def _read_layout(data: mmap.mmap, path: Path) -> _Layout:
    _, version, dim, *settings, _ = _HEADER.unpack_from(data)
    if version not in _VERSIONS:
        known = " and ".join(map(str, _VERSIONS))
        raise PocketIntentError(
            f"{path}: version {version} of fastText's format is not supported; {known} are"
        )
    model, num_buckets, min_n, max_n = settings[6:10]
    if version == 11 and model == 3:
        max_n = 0  # supervised models of that version have no n-grams, whatever the header says
    place = _HEADER.size
    num_entries, num_words, _, _, num_pruned = _SIZES.unpack_from(data, place)
    place += _SIZES.size
    words = []
    for _ in range(num_entries):
        end = data.find(b"\0", place)
        if end < 0:
            raise PocketIntentError(f"{path}: the fastText model is truncated")
        _, kind = _ENTRY.unpack_from(data, end + 1)
        if kind == 0:
            words.append(data[place:end])
        place = end + 1 + _ENTRY.size
    if num_pruned > 0:
        raise PocketIntentError(f"{path}: {_QUANTISED}")
    if len(words) != num_words or not 1 <= dim <= MAX_DIM or num_buckets < 0:
        raise PocketIntentError(f"{path}: the fastText model is damaged: its sizes do not fit")
    matrix, place = _read_matrix(data, place, path)
    _read_matrix(data, place, path)  # the output matrix, so that a truncated file is detected
    if matrix.shape != (num_words + num_buckets, dim):
        raise PocketIntentError(
            f"{path}: the fastText model is damaged: its table is {list(matrix.shape)}, not "
            f"{[num_words + num_buckets, dim]}"
        )
    return _Layout(words, matrix, min_n, max_n, num_buckets)


def _read_matrix(data: mmap.mmap, place: int, path: Path) -> tuple[FloatArray, int]:
    """A view of the matrix at an offset, and the offset of its end."""
    quantised, num_rows, dim = _MATRIX.unpack_from(data, place)
    if quantised:
        raise PocketIntentError(f"{path}: {_QUANTISED}")
    place += _MATRIX.size
    if num_rows < 0 or dim < 0 or num_rows * dim * 4 > len(data) - place:
        raise PocketIntentError(f"{path}: the fastText model is truncated")
    matrix = np.frombuffer(data, "<f4", num_rows * dim, place).reshape(num_rows, dim)
    return matrix, place + num_rows * dim * 4
