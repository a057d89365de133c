"""Matrices of vectors as codes, floats or 8-bit integers.

Rows of codes and of floats are read, and summed, in the same way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pocketintent.runtime.arrays import FloatArray, IndexArray, read_tensor
from pocketintent.runtime.errors import ModelFileError, PocketIntentError
from pocketintent.runtime.quantization.quantizer import CodeArray, Quantizer

ROWS_AT_ONCE = 16_384
"""Rows of a large matrix that are encoded or decoded at once."""
LARGEST = 127
"""Largest 8-bit integer; -128 is not used, so that a row and its negative differ only in sign."""
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
        total: FloatArray
        if len(ids) > _ROWS_IN_A_SUM:
            total = self.weighted_sums(ids, np.array([len(ids)]))[0]
            return total
        rows = self.quantizer.decode_codes(self.codes.take(ids, axis=0))
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
        total: FloatArray
        if len(ids) > _ROWS_IN_A_SUM:
            total = self.weighted_sums(ids, np.array([len(ids)]))[0]
        else:
            total = np.add.reduce(self.vectors.take(ids, axis=0), axis=0)
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


@dataclass(frozen=True, eq=False)
class Int8Matrix:
    """Row ``r`` is ``codes[r] * scales[r]``."""

    codes: npt.NDArray[np.int8]
    """``[rows, columns]``; may be a read-only view of a memory map."""
    scales: npt.NDArray[np.float16]
    """``[rows]``."""

    def __post_init__(self) -> None:
        if self.codes.ndim != 2 or self.scales.shape != self.codes.shape[:1]:
            raise PocketIntentError(
                f"codes {list(self.codes.shape)} and scales {list(self.scales.shape)} must be "
                "[rows, columns] and [rows]"
            )

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.codes.shape[0], self.codes.shape[1]

    def decode(self) -> FloatArray:
        """The decoded matrix, float32 ``[rows, columns]``."""
        decoded = self.codes.astype(np.float32)
        decoded *= self.scales.astype(np.float32)[:, None]
        return decoded

    def to_tensors(self, prefix: str) -> dict[str, npt.NDArray[Any]]:
        """``<prefix>.codes`` int8 and ``<prefix>.scales`` float16, for a model file."""
        return {f"{prefix}.codes": self.codes, f"{prefix}.scales": self.scales}

    @classmethod
    def from_tensors(cls, tensors: Mapping[str, npt.NDArray[Any]], prefix: str) -> Int8Matrix:
        """The matrix under a prefix of a model file; ModelFileError if it is missing or damaged."""
        codes = read_tensor(tensors, f"{prefix}.codes", ["int8"])
        scales = read_tensor(tensors, f"{prefix}.scales", ["float16"])
        if not np.isfinite(scales).all():
            raise ModelFileError(f"{prefix}.scales: a number is NaN or infinite")
        try:
            return cls(codes, scales)
        except PocketIntentError as error:
            raise ModelFileError(f"{prefix}: {error}") from error
