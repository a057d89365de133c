"""Matrices of vectors, with one reading side for dense and quantised rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pocketintent.runtime.arrays import FloatArray, IndexArray
from pocketintent.runtime.quantization.quantizer import QuantizedMatrix


@dataclass(frozen=True, eq=False)
class DenseMatrix:
    """Vectors kept as they are, with the reading side of :class:`QuantizedMatrix`."""

    vectors: FloatArray
    """float32 ``[n, dim]``; may be a read-only view of a memory map."""

    def __len__(self) -> int:
        return len(self.vectors)

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return int(self.vectors.shape[1])

    def rows(self, ids: IndexArray) -> FloatArray:
        """Vectors of some rows: float32 ``[k, dim]``, a fresh array."""
        return self.vectors.take(ids, axis=0)

    def weighted_sum(self, ids: IndexArray) -> FloatArray:
        """The sum of ``rows(ids)`` as float32 ``[dim]``."""
        total: FloatArray = np.add.reduce(self.vectors.take(ids, axis=0), axis=0)
        return total

    def select(self, ids: IndexArray | slice) -> DenseMatrix:
        """A matrix of some rows."""
        return DenseMatrix(self.vectors[ids])

    def decode(self) -> FloatArray:
        """All vectors: float32 ``[n, dim]``, the array itself."""
        return self.vectors


Matrix = QuantizedMatrix | DenseMatrix
