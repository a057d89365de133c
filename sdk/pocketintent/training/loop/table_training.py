"""Training of embedding tables by sparse gradients: only the rows that a batch used are touched.

StarSpace and distillation share it. torch's ``SparseAdam`` and sparse AdaGrad have an accumulator
for each value; StarSpace has one for each row, and bounds the length of rows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from pocketintent.training.loop.devices import Workers
from pocketintent.training.loop.trainer import Epoch, Measurement, Step, Trainable

_CACHED_VALUES = 1 << 17  # of a temporary that stays in a processor's cache with a few others


@dataclass
class BatchGradients:
    """Loss and sparse gradients of one batch."""

    loss: Tensor  # summed, scalar
    num_examples: Tensor  # in the batch, scalar
    rows: Tensor  # distinct rows that the batch used, int64 [n]
    values: Tensor  # summed gradient of each row's composed embedding, float32 [n, dim]
    squares: Tensor | None = None
    """What AdaGrad adds to each row's accumulator, float32 [n]; None for the mean square of
    ``values``."""


class SparseRows(nn.Module):
    """One embedding table, float32 [num_rows, dim], and the optimiser state of its rows.

    AdaGrad has one accumulator for each row, the running sum of the mean squared gradient, as in
    StarSpace; SGD has none. Longer rows than ``max_norm`` are scaled to this length; of those, only
    the first ``num_bounded`` if it is not None.
    """

    table: Tensor
    squares: Tensor | None

    def __init__(
        self,
        table: Tensor,
        *,
        adagrad: bool,
        max_norm: float | None = None,
        num_bounded: int | None = None,
    ) -> None:
        super().__init__()
        self.max_norm, self.num_bounded = max_norm, num_bounded
        self.register_buffer("table", table)
        self.register_buffer("squares", table.new_zeros(len(table)) if adagrad else None)

    def step(
        self, rows: Tensor, gradient: Tensor, learning_rate: float, squares: Tensor | None = None
    ) -> None:
        """Descend along the summed gradient of distinct rows, float32 [n, dim].

        For ``squares`` see :class:`BatchGradients`.
        """
        for part in cached_parts(len(rows), self.table):
            own_squares = None if squares is None else squares[part]
            self._step_part(rows[part], gradient[part], learning_rate, own_squares)

    def _step_part(
        self, rows: Tensor, gradient: Tensor, learning_rate: float, squares: Tensor | None
    ) -> None:
        if self.squares is not None:
            gradient = self.adapt(self.squares, rows, gradient, squares)
        values = self.table.index_select(0, rows).add_(gradient, alpha=-learning_rate)
        if self.max_norm is not None:
            norm = values.norm(dim=1, keepdim=True)
            scale = (self.max_norm / norm.clamp_min_(1e-20)).clamp_max_(1.0)
            if self.num_bounded is not None:
                scale[rows >= self.num_bounded] = 1.0
            values.mul_(scale)
        self.table.index_copy_(0, rows, values)

    def adapt(
        self, accumulators: Tensor, rows: Tensor, gradient: Tensor, squares: Tensor | None
    ) -> Tensor:
        """The gradient as AdaGrad scales it, after its squares are in the rows' accumulators."""
        squares = gradient.square().mean(1) if squares is None else squares
        return gradient * accumulate(accumulators, rows, squares).unsqueeze(1)


def accumulate(accumulators: Tensor, rows: Tensor, squares: Tensor) -> Tensor:
    """Add squares to the accumulators of distinct rows; returns AdaGrad's factors for them."""
    total = accumulators.index_select(0, rows).add_(squares)
    accumulators.index_copy_(0, rows, total)
    return total.clamp_min_(1e-20).rsqrt_()


def cached_parts(num_rows: int, table: Tensor) -> Iterator[slice]:
    """Split the work on rows of a table into parts whose temporaries stay in the CPU's cache."""
    size = max(num_rows, 1)
    if table.device.type == "cpu":
        size = max(1, _CACHED_VALUES // max(1, table.shape[1]))
    for first in range(0, num_rows, size):
        yield slice(first, first + size)


def sum_rows(indices: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
    """The distinct indices in ascending order, [m], and the sums of their values, [m, dim]."""
    distinct, inverse = torch.unique(indices, return_inverse=True)
    sums = values.new_zeros((len(distinct), values.shape[1]))
    return distinct, sums.index_add_(0, inverse, values)


def sum_gradients(own: BatchGradients, workers: Workers) -> BatchGradients:
    """The sums of all processes' sparse gradients, for the rows that at least one of them used."""
    if workers.count == 1:
        return own
    totals = torch.stack([own.loss.double(), own.num_examples.double()])
    torch.distributed.all_reduce(totals)
    size = torch.tensor([len(own.rows)], device=own.rows.device)
    sizes = [int(size) for size in _gather(size, workers)]

    def gather_rows(tensor: Tensor) -> Tensor:
        # Messages have one length, so the shorter ones are padded and cut again.
        padding = [0, 0] * (tensor.dim() - 1) + [0, max(sizes) - len(tensor)]
        parts = _gather(torch.nn.functional.pad(tensor, padding), workers)
        return torch.cat([part[:size] for part, size in zip(parts, sizes, strict=True)])

    rows = gather_rows(own.rows)
    distinct, values = sum_rows(rows, gather_rows(own.values))
    squares = None
    if own.squares is not None:
        squares = sum_rows(rows, gather_rows(own.squares.unsqueeze(1)))[1].squeeze(1)
    return BatchGradients(totals[0], totals[1], distinct, values, squares)


def _gather(tensor: Tensor, workers: Workers) -> list[Tensor]:
    parts = [torch.empty_like(tensor) for _ in range(workers.count)]
    torch.distributed.all_gather(parts, tensor)
    return parts


class TableModel(nn.Module, ABC):
    """A model with a table ``words``; of its settings epochs and learning rate are read."""

    words: SparseRows

    def __init__(self, settings: Any, device: str) -> None:
        super().__init__()
        self.settings, self.device = settings, torch.device(device)

    @abstractmethod
    def gradients(self, batch: Any) -> BatchGradients:
        """Summed loss of a batch, and its gradient for the rows that it uses."""

    def step(self, gradients: BatchGradients, learning_rate: float) -> None:
        """Descend along a batch's gradients."""
        self.words.step(gradients.rows, gradients.values, learning_rate, gradients.squares)

    def to_device(self, array: NDArray[Any]) -> Tensor:
        """An array of a batch as a tensor."""
        return torch.from_numpy(array).to(self.device, non_blocking=True)


class TableTraining(Trainable):
    """Trains the tables of a model, in place, at a learning rate that falls linearly to zero.

    ``batches`` have the number of ``words_per_epoch``, too; see :class:`Trainable`.
    """

    unit = "words"

    def __init__(self, model: TableModel, batches: Any, workers: Workers | None = None) -> None:
        self.model, self.batches = model, batches
        self.workers = workers or Workers()
        self.epochs: int = model.settings.epochs
        self.units_per_epoch = batches.words_per_epoch
        self.parts = {"model": model}

    def step(self, step: Step) -> tuple[float, float]:
        """Descend along the summed gradients of all processes' batches."""
        own = self.model.gradients(self.batches.batch(step.batch))
        if step.idle:
            for tensor in (own.loss, own.num_examples, own.values, own.squares):
                if tensor is not None:
                    tensor.zero_()
        gradients = sum_gradients(own, self.workers)
        self.model.step(gradients, self.model.settings.learning_rate * (1 - step.progress))
        return float(gradients.loss), float(gradients.num_examples)

    def measure(self, epoch: Epoch) -> Measurement:
        """The mean loss of the epoch."""
        return Measurement(epoch.loss, f"loss {epoch.loss:.5f}")
