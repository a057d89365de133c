"""Matrices of vectors, with the same way to read dense and quantised rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pocketintent.runtime.arrays import (
    FloatArray,
    IndexArray,
    half_precision,
    row_lengths,
    row_products,
    unit_rows,
)
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.quantization.quantizer import CodeArray, Progress, Quantizer, check_matrix

ROWS_AT_ONCE = 16_384
"""Rows of a large matrix that are encoded or decoded at once."""
_NUMBERS_AT_ONCE = 1 << 17  # of rows that are gathered to be summed, 512 KB
_ROWS_IN_A_SUM = 4096  # more rows, which no ordinary text has, are summed in blocks of this size


@dataclass(frozen=True, eq=False)
class QuantizedMatrix:
    """Vectors as codes."""

    codes: CodeArray
    """``[n, num_sub]``; may be a read-only view of a memory map."""
    norms: npt.NDArray[np.float16] | None
    """``[n]``, or None if the quantizer is not normalised."""
    quantizer: Quantizer

    def __post_init__(self) -> None:
        if self.codes.ndim != 2 or self.codes.shape[1] != self.quantizer.num_sub:
            raise PocketIntentError(
                f"codes have shape {list(self.codes.shape)}; they must be "
                f"[n, {self.quantizer.num_sub}]"
            )
        if (self.norms is not None) != self.quantizer.normalised or (
            self.norms is not None and self.norms.shape != self.codes.shape[:1]
        ):
            raise PocketIntentError("norms must be [n] for a normalised quantizer, otherwise None")

    @classmethod
    def encode(
        cls, vectors: FloatArray, quantizer: Quantizer, *, progress: Progress | None = None
    ) -> QuantizedMatrix:
        """Quantise vectors, float32 ``[n, dim]``; ``progress`` is called after a block of rows.

        With a normalised quantizer, the stored norm is the one with the least squared error,
        ``x . d / d . d`` for the decoded direction ``d``. Vectors of another size, that are not
        finite, or too long for half precision, are a PocketIntentError.
        """
        check_matrix(vectors)
        if (dim := vectors.shape[1]) != quantizer.dim:
            raise PocketIntentError(f"vectors have dim {dim}; the quantizer has {quantizer.dim}")
        codes = np.empty((len(vectors), quantizer.num_sub), dtype=quantizer.code_dtype)
        norms = np.zeros(len(vectors), dtype=np.float16) if quantizer.normalised else None
        for start in range(0, len(vectors), ROWS_AT_ONCE):
            rows = slice(start, start + ROWS_AT_ONCE)
            block = np.asarray(vectors[rows], dtype=np.float32)
            if norms is None:
                codes[rows] = quantizer.assign(block)
            else:
                units = unit_rows(block)
                codes[rows] = quantizer.assign(units)
                decoded = quantizer.decode_codes(codes[rows])
                energy = row_products(decoded, decoded)
                scale = row_products(units, decoded) / np.where(energy > 0, energy, np.float32(1))
                norms[rows] = half_precision(scale * row_lengths(block), "norms", start)
            if progress is not None:
                progress(min(start + ROWS_AT_ONCE, len(vectors)), len(vectors))
        return cls(codes, norms, quantizer)

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return self.quantizer.dim

    def rows(self, ids: IndexArray) -> FloatArray:
        """Decode some rows: float32 ``[k, dim]``, a new array."""
        rows = self.quantizer.decode_codes(self.codes.take(ids, axis=0))
        if self.norms is not None:
            rows *= self.norms.take(ids).astype(np.float32)[:, None]
        return rows

    def weighted_sum(self, ids: IndexArray) -> FloatArray:
        """Sum ``rows(ids)`` to float32 ``[dim]``, without scaling each row first."""
        if len(ids) > _ROWS_IN_A_SUM:
            return _sum_blocks(self, ids)
        rows = self.quantizer.decode_codes(self.codes.take(ids, axis=0))
        total: FloatArray
        if self.norms is None:
            total = np.add.reduce(rows, axis=0)
        else:
            total = self.norms.take(ids).astype(np.float32).dot(rows)
        return total

    def weighted_sums(self, ids: IndexArray, counts: IndexArray) -> FloatArray:
        """Sums of several groups of rows, each bit-identical to :meth:`weighted_sum`.

        ``ids``, intp, are the rows of all groups, and ``counts`` the number of each group's rows.
        The sums are float32 ``[num_groups, dim]``; zeros for a group without rows.
        """
        # Groups share rows, as words share n-grams: each is decoded once.
        distinct, places = np.unique(ids, return_inverse=True)
        rows = self.quantizer.decode_codes(self.codes.take(distinct, axis=0))
        norms = None if self.norms is None else self.norms.take(distinct).astype(np.float32)
        return _sum_groups(rows, norms, places, counts)

    def select(self, ids: IndexArray | slice) -> QuantizedMatrix:
        """Return a matrix of some rows, with the same codebook."""
        norms = None if self.norms is None else self.norms[ids]
        return QuantizedMatrix(self.codes[ids], norms, self.quantizer)

    def decode(self) -> FloatArray:
        """Decode all vectors: float32 ``[n, dim]``."""
        decoded = np.empty((len(self), self.dim), dtype=np.float32)
        for start in range(0, len(self), ROWS_AT_ONCE):
            stop = min(start + ROWS_AT_ONCE, len(self))
            decoded[start:stop] = self.rows(np.arange(start, stop))
        return decoded


@dataclass(frozen=True, eq=False)
class DenseMatrix:
    """Vectors as floats, read in the same way as a :class:`QuantizedMatrix`."""

    vectors: FloatArray
    """float32 ``[n, dim]``; may be a read-only view of a memory map."""

    def __post_init__(self) -> None:
        if self.vectors.dtype != np.float32:
            raise PocketIntentError(f"vectors must be float32, not {self.vectors.dtype}")

    def __len__(self) -> int:
        return len(self.vectors)

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return int(self.vectors.shape[1])

    def rows(self, ids: IndexArray) -> FloatArray:
        """Return some rows: float32 ``[k, dim]``, a new array."""
        return self.vectors.take(ids, axis=0)

    def weighted_sum(self, ids: IndexArray) -> FloatArray:
        """Sum ``rows(ids)`` to float32 ``[dim]``."""
        if len(ids) > _ROWS_IN_A_SUM:
            return _sum_blocks(self, ids)
        total: FloatArray = np.add.reduce(self.vectors.take(ids, axis=0), axis=0)
        return total

    def weighted_sums(self, ids: IndexArray, counts: IndexArray) -> FloatArray:
        """Sums of several groups of rows; see :meth:`QuantizedMatrix.weighted_sums`."""
        return _sum_groups(self.vectors, None, ids, counts)

    def select(self, ids: IndexArray | slice) -> DenseMatrix:
        """Return a matrix of some rows."""
        return DenseMatrix(self.vectors[ids])

    def decode(self) -> FloatArray:
        """Return all vectors: float32 ``[n, dim]``, the array itself."""
        return self.vectors


Matrix = QuantizedMatrix | DenseMatrix
"""Vectors of which an encoder reads rows and sums of rows."""


def _sum_blocks(matrix: Matrix, ids: IndexArray) -> FloatArray:
    starts = range(0, len(ids), _ROWS_IN_A_SUM)
    blocks = [matrix.weighted_sum(ids[start : start + _ROWS_IN_A_SUM]) for start in starts]
    total: FloatArray = np.add.reduce(blocks, axis=0)
    return total


def _sum_groups(
    rows: FloatArray, norms: FloatArray | None, ids: IndexArray, counts: IndexArray
) -> FloatArray:
    """Sum the rows of each group with the rounding of a single sum.

    Groups of equal size are summed together: NumPy then calls the same product or reduction.
    """
    sums = np.zeros((len(counts), rows.shape[1]), np.float32)
    starts = np.cumsum(counts) - counts
    for size in np.unique(counts[counts > 0]).tolist():
        same_size = np.flatnonzero(counts == size)
        if size > _ROWS_IN_A_SUM:
            blocks = np.diff([*range(0, size, _ROWS_IN_A_SUM), size])
            for group in same_size:
                members = ids[starts[group] : starts[group] + size]
                sums[group] = np.add.reduce(_sum_groups(rows, norms, members, blocks), axis=0)
            continue
        step = max(1, _NUMBERS_AT_ONCE // (size * rows.shape[1]))
        for first in range(0, len(same_size), step):
            groups = same_size[first : first + step]
            members = ids[starts[groups][:, None] + np.arange(size)]
            parts = rows.take(members, axis=0)
            if norms is None:
                sums[groups] = np.add.reduce(parts, axis=1)
            else:
                sums[groups] = np.matmul(norms.take(members)[:, None], parts)[:, 0]
    return sums
