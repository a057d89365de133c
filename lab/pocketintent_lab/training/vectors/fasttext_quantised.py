"""Quantised tables of fastText's ``.ftz`` files: product quantisation (Joulin et al. 2016)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray, IndexArray

NUM_CENTROIDS = 256


@dataclass(frozen=True, eq=False)
class QuantisedRows:
    """Rows as codes of one byte for each sub-vector; a row is decoded when it is read."""

    codes: NDArray[np.uint8]
    """[num_rows, num_sub]."""
    centroids: FloatArray
    """All centroids, float32 [256 * dim], those of one sub-vector after those of another."""
    sub_dim: int
    """Length of a sub-vector; the last one may be shorter."""
    norms: FloatArray | None
    """The factor of each row, [num_rows]; None if the rows are not normalised."""

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def dim(self) -> int:
        """Length of a row."""
        return len(self.centroids) // NUM_CENTROIDS

    def rows(self, ids: IndexArray) -> FloatArray:
        """Decode some rows: float32 [num_ids, dim]."""
        codes = self.codes[ids]
        decoded = np.empty((len(ids), self.dim), np.float32)
        for number, first in enumerate(range(0, self.dim, self.sub_dim)):
            stop = min(first + self.sub_dim, self.dim)
            book = self.centroids[NUM_CENTROIDS * first : NUM_CENTROIDS * stop]
            decoded[:, first:stop] = book.reshape(NUM_CENTROIDS, -1)[codes[:, number]]
        if self.norms is not None:
            decoded *= self.norms[ids][:, None]
        return decoded

    def select(self, rows: slice) -> QuantisedRows:
        """Some of the rows."""
        norms = None if self.norms is None else self.norms[rows]
        return QuantisedRows(self.codes[rows], self.centroids, self.sub_dim, norms)
