"""The parts of the binary files of fastText, and of Sent2Vec and floret, which derive from it."""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.quantization.matrices import DenseMatrix
from pocketintent.training.vectors.rows import MAX_DIM
from pocketintent_lab.training.vectors.fasttext_quantised import NUM_CENTROIDS, QuantisedRows

MAGIC = struct.pack("<i", 793712314)
"""The first bytes of the files."""

_VERSIONS = (11, 12)
_SETTINGS = (
    # dim, window, epochs, minimal count, negatives, word n-grams, loss, model, buckets, n-grams
    struct.Struct("<9i2iid"),  # fastText and Sent2Vec: update rate, subsampling threshold
    struct.Struct("<9i2i2iid"),  # floret: mode and number of hashes before them
)
_FLORET_SETTINGS = 15
_FLORET_MODE = 2  # the other mode of floret is fastText's
_SIZES = struct.Struct("<3i2q")  # entries, words, labels, tokens of the corpus, pruned n-grams
_ENTRY = struct.Struct("<qb")  # count and type that follow a word
_MAX_WORD_BYTES = 1 << 16
_WORD_AND_CHARACTER_MODEL = 5


@dataclass(frozen=True)
class FastTextFile:
    """A file's words and tables."""

    version: int
    """Version of the format, 11 or 12."""
    model: int
    """1 CBOW, 2 skip-gram, 3 supervised, 4 Sent2Vec."""
    num_buckets: int
    """Number of n-gram buckets, before pruning."""
    min_n: int
    """Length of the shortest n-gram of characters."""
    max_n: int
    """Length of the longest n-gram of characters; 0 for none."""
    is_floret: bool
    """Whether words have rows in the n-gram table alone, by floret's hash."""
    num_hashes: int
    """Rows of an n-gram; 1 except in floret."""
    words: list[bytes]
    """The words, most frequent first."""
    places: list[int]
    """The byte at which each word begins."""
    pruned: NDArray[np.int32] | None
    """Buckets that were kept, and their rows [num_kept, 2]; None in a model that is not pruned."""
    table: DenseMatrix | QuantisedRows
    """A row for each word, then for each bucket or each bucket that was kept."""
    table_place: int
    """The byte at which the table begins."""


class _Cursor:
    """A place in a file, which moves on as parts are read."""

    def __init__(self, data: mmap.mmap, path: Path, place: int) -> None:
        self.data = data
        self.path = path
        self.place = place

    def fail(self, reason: str) -> NoReturn:
        raise PocketIntentError(f"{self.path}, byte {self.place}: the fastText model is {reason}")

    def unpack(self, layout: struct.Struct) -> tuple[Any, ...]:
        if layout.size > len(self.data) - self.place:
            self.fail("truncated")
        values = layout.unpack_from(self.data, self.place)
        self.place += layout.size
        return values

    def array(self, dtype: str, size: int) -> NDArray[Any]:
        """A view of the next numbers."""
        num_bytes = size * np.dtype(dtype).itemsize
        if size < 0 or num_bytes > len(self.data) - self.place:
            self.fail("truncated" if size >= 0 else "damaged: a size is negative")
        array = np.frombuffer(self.data, dtype, size, self.place)
        self.place += num_bytes
        return array

    def word(self) -> bytes:
        """The bytes up to the next zero."""
        end = self.data.find(b"\0", self.place, self.place + _MAX_WORD_BYTES)
        if end < 0:
            is_cut = len(self.data) - self.place < _MAX_WORD_BYTES
            self.fail("truncated" if is_cut else "damaged: a word does not end")
        word = self.data[self.place : end]
        self.place = end + 1
        return word


def read_file(data: mmap.mmap, path: Path) -> FastTextFile:
    """Read the parts of a file; the tables stay views of the memory map.

    Args:
        data: The file, which begins with :data:`MAGIC`.
        path: Its name, for messages.

    Raises:
        PocketIntentError: The file is truncated, damaged or of an unknown version; the message has
            the byte.
    """
    cursor = _Cursor(data, path, len(MAGIC))
    (version,) = cursor.unpack(struct.Struct("<i"))
    if version not in _VERSIONS:
        known = " and ".join(map(str, _VERSIONS))
        raise PocketIntentError(
            f"{path}: version {version} of fastText's format is not supported; {known} are"
        )
    settings, (num_entries, num_words, _, _, num_pruned) = _read_settings(cursor)
    dim, model, num_buckets, min_n, max_n = settings[0], *settings[7:11]
    mode, num_hashes = settings[11:13] if len(settings) == _FLORET_SETTINGS else (0, 1)
    if not 1 <= dim <= MAX_DIM or num_buckets < 0:
        cursor.fail(f"damaged: {dim} dimensions and {num_buckets} buckets")
    words, places = _read_words(cursor, num_entries, num_words)
    pruned = None
    if num_pruned >= 0:
        pruned = cursor.array("<i4", 2 * num_pruned).reshape(-1, 2)
        _check_pruned(cursor, pruned, num_buckets)
    table_place = cursor.place
    num_rows = num_words + (num_buckets if pruned is None else len(pruned))
    table = _read_tables(cursor, [num_rows, dim])
    return FastTextFile(
        version,
        model,
        num_buckets,
        min_n,
        max_n,
        mode == _FLORET_MODE,
        num_hashes,
        words,
        places,
        pruned,
        table,
        table_place,
    )


def _read_settings(cursor: _Cursor) -> tuple[tuple[Any, ...], tuple[int, ...]]:
    """The settings, and the sizes that follow them.

    floret has two settings more under the same magic number and version, so the layout is the one
    whose sizes fit.
    """
    start = cursor.place
    for layout in _SETTINGS:
        cursor.place = start
        settings = cursor.unpack(layout)
        if settings[7] == _WORD_AND_CHARACTER_MODEL:
            raise PocketIntentError(
                f"{cursor.path}: models of Sent2Vec's cbow-c+w-ngrams are not supported; export "
                "their words' vectors as text"
            )
        sizes = cursor.unpack(_SIZES)
        num_entries, num_words, num_labels, num_tokens, num_pruned = sizes
        are_sizes = min(num_words, num_labels, num_tokens) >= 0 and num_pruned >= -1
        if are_sizes and num_entries == num_words + num_labels:
            return settings, sizes
    cursor.fail("damaged: the number of words and labels is not the number of entries")


def _read_words(cursor: _Cursor, num_entries: int, num_words: int) -> tuple[list[bytes], list[int]]:
    """The words without the labels, and their places."""
    words, places = [], []
    for _ in range(num_entries):
        place = cursor.place
        word = cursor.word()
        _, kind = cursor.unpack(_ENTRY)
        if kind == 0:
            words.append(word)
            places.append(place)
    if len(words) != num_words:
        cursor.fail(f"damaged: it has {len(words)} words instead of {num_words}")
    return words, places


def _check_pruned(cursor: _Cursor, pruned: NDArray[np.int32], num_buckets: int) -> None:
    buckets, rows = pruned[:, 0], pruned[:, 1]
    outside = (buckets < 0) | (buckets >= num_buckets) | (rows < 0) | (rows >= len(pruned))
    if outside.any():
        cursor.fail("damaged: a pruned n-gram is outside the table")


def _read_tables(cursor: _Cursor, shape: list[int]) -> DenseMatrix | QuantisedRows:
    """The table of the words and n-grams; the other one is read to detect a truncated file."""
    (quantised,) = cursor.unpack(struct.Struct("<?"))
    table = _read_quantised(cursor) if quantised else _read_dense(cursor)
    if [len(table), table.dim] != shape:
        cursor.fail(f"damaged: its table is {[len(table), table.dim]}, not {shape}")
    (output_quantised,) = cursor.unpack(struct.Struct("<?"))
    _read_quantised(cursor) if quantised and output_quantised else _read_dense(cursor)
    return table


def _read_dense(cursor: _Cursor) -> DenseMatrix:
    num_rows, dim = cursor.unpack(struct.Struct("<2q"))
    if num_rows < 0 or not 0 <= dim <= MAX_DIM:
        cursor.fail(f"damaged: a table is {[num_rows, dim]}")
    return DenseMatrix(cursor.array("<f4", num_rows * dim).reshape(num_rows, dim))


def _read_quantised(cursor: _Cursor) -> QuantisedRows:
    normalised, num_rows, dim, num_codes = cursor.unpack(struct.Struct("<?2qi"))
    if num_rows < 1 or not 1 <= dim <= MAX_DIM or num_codes < 1 or num_codes % num_rows:
        cursor.fail(f"damaged: a table is {[num_rows, dim]} with {num_codes} codes")
    codes = cursor.array("u1", num_codes).reshape(num_rows, -1)
    centroids, sub_dim = _read_centroids(cursor, dim)
    if codes.shape[1] != -(-dim // sub_dim):
        cursor.fail(f"damaged: {codes.shape[1]} codes for {dim} dimensions in parts of {sub_dim}")
    norms = None
    if normalised:
        norm_codes = cursor.array("u1", num_rows)
        norms = _read_centroids(cursor, 1)[0][norm_codes]
    return QuantisedRows(codes, centroids, sub_dim, norms)


def _read_centroids(cursor: _Cursor, dim: int) -> tuple[FloatArray, int]:
    """The centroids, and the length of a sub-vector."""
    stored_dim, _, sub_dim, _ = cursor.unpack(struct.Struct("<4i"))
    if stored_dim != dim or sub_dim < 1:
        cursor.fail(f"damaged: centroids of {stored_dim} dimensions in parts of {sub_dim}")
    return cursor.array("<f4", NUM_CENTROIDS * dim), sub_dim
