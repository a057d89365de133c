"""Tables whose rows are trained: of floats, or of codes, whose centroids are trained instead."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
import torch
from torch import Tensor, nn

from pocketintent.runtime.arrays import FloatArray, IntArray
from pocketintent.runtime.quantization.matrices import DenseMatrix, Matrix, QuantizedMatrix
from pocketintent.runtime.quantization.quantizer import Quantizer


class RowTable(ABC):
    """Vectors that are trained."""

    at_row_rate: bool
    """Whether the parameters learn at the row learning rate; otherwise at that of the network."""

    @abstractmethod
    def take(self, numbers: IntArray) -> Tensor:
        """Some rows, float32 [n, dim], with gradients.

        Args:
            numbers: Numbers of rows, int64 [n].
        """

    @property
    @abstractmethod
    def parameters(self) -> list[nn.Parameter]:
        """What is trained."""

    @abstractmethod
    def to_matrix(self) -> Matrix:
        """The table as the runtime reads it."""

    def state(self) -> dict[str, Tensor]:
        """The tensors of a checkpoint."""
        return {str(i): parameter.detach() for i, parameter in enumerate(self.parameters)}

    def load_state(self, state: dict[str, Tensor]) -> None:
        """Copy the tensors of a checkpoint into the table."""
        for name, tensor in self.state().items():
            tensor.copy_(state[name])


class FloatRows(RowTable):
    """Rows of floats.

    Args:
        vectors: Initial vectors, float32 [num_rows, dim].
        device: Torch device.
    """

    at_row_rate = True

    def __init__(self, vectors: FloatArray, device: torch.device) -> None:
        self._table = nn.Parameter(torch.from_numpy(vectors.copy()).to(device))

    def take(self, numbers: IntArray) -> Tensor:
        """Some rows; see :meth:`RowTable.take`."""
        return self._table.index_select(0, torch.from_numpy(numbers).to(self._table.device))

    @property
    def parameters(self) -> list[nn.Parameter]:
        """The vectors."""
        return [self._table]

    def to_matrix(self) -> DenseMatrix:
        """The vectors."""
        return DenseMatrix(self._table.detach().cpu().numpy())


class CodedRows(RowTable):
    """Rows as codes, which stay; the centroids and the norms are trained.

    Args:
        matrix: The quantised vectors.
        device: Torch device.
    """

    at_row_rate = False

    def __init__(self, matrix: QuantizedMatrix, device: torch.device) -> None:
        self._matrix = matrix
        codebook = torch.from_numpy(matrix.quantizer.codebook.copy())
        self._codebook = nn.Parameter(codebook.to(device))
        norms = np.ones(len(matrix), np.float32) if matrix.norms is None else matrix.norms
        self._norms = nn.Parameter(torch.from_numpy(norms.astype(np.float32)).to(device))
        self._norms.requires_grad_(matrix.norms is not None)
        # The number of each code's centroid among those of all codebooks.
        step = matrix.quantizer.codebook_size if matrix.quantizer.per_position else 0
        offsets = np.arange(matrix.quantizer.num_sub) * step
        self._codes = torch.from_numpy(matrix.codes.astype(np.int32) + offsets.astype(np.int32))
        self._codes = self._codes.to(device)

    def take(self, numbers: IntArray) -> Tensor:
        """Some rows, decoded; see :meth:`RowTable.take`."""
        index = torch.from_numpy(numbers).to(self._codes.device)
        centroids = self._codebook.reshape(-1, self._codebook.shape[-1])
        codes = self._codes.index_select(0, index)
        decoded = nn.functional.embedding(codes.long(), centroids).flatten(1)
        return decoded * self._norms.index_select(0, index).unsqueeze(1)

    @property
    def parameters(self) -> list[nn.Parameter]:
        """The centroids and, if the quantiser is normalised, the norms."""
        return [p for p in (self._codebook, self._norms) if p.requires_grad]

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


def make_rows(matrix: Matrix, device: torch.device) -> RowTable:
    """The rows of a matrix, for training: codes stay codes."""
    if isinstance(matrix, QuantizedMatrix):
        return CodedRows(matrix, device)
    return FloatRows(matrix.vectors, device)
