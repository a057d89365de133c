"""Tables of which a step learns only the rows that its batch needs: of floats, or of codes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from pocketintent.runtime.arrays import FloatArray, IntArray
from pocketintent.runtime.quantization.matrices import DenseMatrix, Matrix, QuantizedMatrix
from pocketintent.runtime.quantization.quantizer import Quantizer
from pocketintent.training.loop.devices import Workers
from pocketintent.training.loop.gradients import sum_gradients
from pocketintent.training.loop.sparse_rows import BatchGradients

_BETAS = (0.9, 0.99)
_TINY = 1e-8


@dataclass(frozen=True)
class Rows:
    """The rows of a batch."""

    numbers: Tensor
    """Distinct numbers of rows, int64 [n]."""
    values: Tensor
    """float32 [n, dim]; their gradient is that of the loss."""


class RowTable(ABC):
    """Vectors that are trained a few rows at a time."""

    @abstractmethod
    def take(self, numbers: IntArray) -> Rows:
        """Some rows.

        Args:
            numbers: Distinct numbers of rows, int64 [n].
        """

    @abstractmethod
    def step(self, rows: Rows, learning_rate: float, size: int, workers: Workers) -> None:
        """Descend along the gradients of the rows.

        Args:
            rows: What :meth:`take` returned for the batch of this process.
            learning_rate: Step size.
            size: Number of texts in the batch of this process; 0 if it counts for nothing.
            workers: The processes, whose gradients are averaged.
        """

    @property
    def parameters(self) -> list[nn.Parameter]:
        """Dense parameters that the optimiser of the network trains; none by default."""
        return []

    @abstractmethod
    def state(self) -> dict[str, Tensor]:
        """The tensors of a checkpoint."""

    @abstractmethod
    def load_state(self, state: dict[str, Tensor]) -> None:
        """Copy the tensors of a checkpoint into the table."""

    @abstractmethod
    def to_matrix(self) -> Matrix:
        """The table as the runtime reads it."""


class FloatRows(RowTable):
    """Rows of floats, trained by Adam, whose moments change only with the row.

    Args:
        vectors: Initial vectors, float32 [num_rows, dim].
        device: Torch device.
    """

    def __init__(self, vectors: FloatArray, device: torch.device) -> None:
        self._table = torch.from_numpy(vectors.copy()).to(device)
        self._mean = torch.zeros_like(self._table)
        self._square = torch.zeros_like(self._table)
        self._steps = torch.zeros((), dtype=torch.int64)

    def take(self, numbers: IntArray) -> Rows:
        """Some rows; see :meth:`RowTable.take`."""
        index = torch.from_numpy(numbers).to(self._table.device)
        return Rows(index, self._table.index_select(0, index).requires_grad_())

    def step(self, rows: Rows, learning_rate: float, size: int, workers: Workers) -> None:
        """Take a step of Adam; see :meth:`RowTable.step`."""
        gradient = rows.values.grad
        if gradient is None:
            gradient = torch.zeros_like(rows.values)
        count = torch.tensor(size, device=gradient.device)
        own = BatchGradients(count.double(), count, rows.numbers, gradient * size)
        total = sum_gradients(own, workers)
        self._steps += 1
        if len(total.rows):
            self._descend(total.rows, total.values / total.num_examples.clamp_min(1), learning_rate)

    def _descend(self, index: Tensor, gradient: Tensor, learning_rate: float) -> None:
        steps = int(self._steps)
        mean = self._mean.index_select(0, index).lerp_(gradient, 1 - _BETAS[0])
        square = self._square.index_select(0, index).lerp_(gradient.square(), 1 - _BETAS[1])
        self._mean.index_copy_(0, index, mean)
        self._square.index_copy_(0, index, square)
        correction: float = (1 - _BETAS[1] ** steps) ** 0.5 / (1 - _BETAS[0] ** steps)
        change = mean.div_(square.sqrt_().add_(_TINY))
        self._table.index_add_(0, index, change, alpha=-learning_rate * correction)

    def state(self) -> dict[str, Tensor]:
        """The vectors and Adam's moments."""
        return {
            "table": self._table,
            "mean": self._mean,
            "square": self._square,
            "steps": self._steps,
        }

    def load_state(self, state: dict[str, Tensor]) -> None:
        """Copy the tensors of a checkpoint into the table."""
        for name, tensor in self.state().items():
            tensor.copy_(state[name])

    def to_matrix(self) -> DenseMatrix:
        """The vectors."""
        return DenseMatrix(self._table.cpu().numpy())


class CodedRows(RowTable):
    """Rows as codes, which stay; the centroids and the norms are trained.

    Args:
        matrix: The quantised vectors.
        device: Torch device.
    """

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

    def take(self, numbers: IntArray) -> Rows:
        """Some rows, decoded; see :meth:`RowTable.take`."""
        index = torch.from_numpy(numbers).to(self._codes.device)
        centroids = self._codebook.reshape(-1, self._codebook.shape[-1])
        codes = self._codes.index_select(0, index)
        decoded = nn.functional.embedding(codes.long(), centroids).flatten(1)
        return Rows(index, decoded * self._norms.index_select(0, index).unsqueeze(1))

    def step(self, rows: Rows, learning_rate: float, size: int, workers: Workers) -> None:
        """Nothing: the optimiser of the network trains the parameters."""

    @property
    def parameters(self) -> list[nn.Parameter]:
        """The centroids and, if the quantiser is normalised, the norms."""
        return [p for p in (self._codebook, self._norms) if p.requires_grad]

    def state(self) -> dict[str, Tensor]:
        """The centroids and the norms."""
        return {"codebook": self._codebook.detach(), "norms": self._norms.detach()}

    def load_state(self, state: dict[str, Tensor]) -> None:
        """Copy the tensors of a checkpoint into the table."""
        for name, tensor in self.state().items():
            tensor.copy_(state[name])

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
