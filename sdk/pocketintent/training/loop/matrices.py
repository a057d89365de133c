"""Matrices of a model file that are trained: floats, or codes whose centroids are."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from pocketintent.runtime.arrays import FloatArray, IntArray
from pocketintent.runtime.quantization.matrices import DenseMatrix, Matrix, QuantizedMatrix
from pocketintent.runtime.quantization.quantizer import Quantizer


class FloatRows(nn.Module):
    """Rows of floats, which are trained and start at ``vectors``, float32 [num_rows, dim]."""

    def __init__(self, vectors: FloatArray, device: torch.device) -> None:
        super().__init__()
        self._table = nn.Parameter(torch.from_numpy(vectors.copy()).to(device))

    def take(self, numbers: IntArray) -> Tensor:
        """Some rows by number, int64 [n], as float32 [n, dim], with gradients."""
        return self._table.index_select(0, torch.from_numpy(numbers).to(self._table.device))

    def whole(self) -> Tensor:
        """All rows, float32 [num_rows, dim], with gradients."""
        return self._table

    def to_matrix(self) -> DenseMatrix:
        """The table as the runtime reads it."""
        return DenseMatrix(self._table.detach().cpu().numpy())


class CodedRows(nn.Module):
    """Rows as codes, which stay; the centroids and the norms of the matrix are trained."""

    def __init__(self, matrix: QuantizedMatrix, device: torch.device) -> None:
        super().__init__()
        self._matrix = matrix
        codebook = torch.from_numpy(matrix.quantizer.codebook.copy())
        self._codebook = nn.Parameter(codebook.to(device))
        norms = np.ones(len(matrix), np.float32) if matrix.norms is None else matrix.norms
        self._norms = nn.Parameter(torch.from_numpy(norms.astype(np.float32)).to(device))
        self._norms.requires_grad_(matrix.norms is not None)
        # The number of each code's centroid among those of all codebooks.
        step = matrix.quantizer.codebook_size if matrix.quantizer.per_position else 0
        offsets = np.arange(matrix.quantizer.num_sub) * step
        codes = matrix.codes.astype(np.int32) + offsets.astype(np.int32)
        self._codes = torch.from_numpy(codes).to(device)

    def take(self, numbers: IntArray) -> Tensor:
        """Some rows, decoded; see :meth:`FloatRows.take`."""
        index = torch.from_numpy(numbers).to(self._codes.device)
        codes, norms = self._codes.index_select(0, index), self._norms.index_select(0, index)
        return self._decode(codes, norms)

    def whole(self) -> Tensor:
        """All rows, decoded; see :meth:`FloatRows.whole`."""
        return self._decode(self._codes, self._norms)

    def _decode(self, codes: Tensor, norms: Tensor) -> Tensor:
        centroids = self._codebook.reshape(-1, self._codebook.shape[-1])
        decoded = nn.functional.embedding(codes.long(), centroids).flatten(1)
        return decoded * norms.unsqueeze(1)

    def to_matrix(self) -> QuantizedMatrix:
        """The codes with the trained centroids and norms, in the precision of a model file."""
        codebook = self._codebook.detach().cpu().numpy().astype(np.float16).astype(np.float32)
        old = self._matrix.quantizer
        norms = self._norms.detach().cpu().numpy().astype(np.float16)
        return QuantizedMatrix(
            self._matrix.codes,
            None if self._matrix.norms is None else norms,
            Quantizer(codebook, old.dim, old.normalised),
        )


def make_rows(matrix: Matrix, device: torch.device) -> FloatRows | CodedRows:
    """The rows of a matrix, for training: codes stay codes."""
    if isinstance(matrix, QuantizedMatrix):
        return CodedRows(matrix, device)
    return FloatRows(matrix.vectors, device)
