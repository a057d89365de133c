"""SGD and AdaGrad that touch only the rows of an embedding table that a batch used."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pocketintent.runtime.errors import require

if TYPE_CHECKING:
    from torch import Tensor

_CACHED_VALUES = 1 << 17
"""Values of a temporary that stays in the cache of a processor together with a few others."""


@dataclass
class BatchGradients:
    """Loss and sparse gradients of one batch."""

    loss: Tensor
    """Summed loss, scalar."""
    num_examples: Tensor
    """Number of examples in the batch, scalar."""
    rows: Tensor
    """Distinct rows that the batch used, int64 [n]."""
    values: Tensor
    """Summed gradient of each row's composed embedding, float32 [n, dim]."""
    squares: Tensor | None = None
    """What AdaGrad adds to each row's accumulator, float32 [n]; None for the mean square of
    ``values``."""

    def pack(self) -> Tensor:
        """The values, with the squares, if any, as a last column."""
        torch = require("torch", "train")
        if self.squares is None:
            return self.values
        packed: Tensor = torch.cat([self.values, self.squares.unsqueeze(1)], 1)
        return packed

    def unpack(self, packed: Tensor) -> tuple[Tensor, Tensor | None]:
        """Split what :meth:`pack` joined, or sums of its rows: the values, and the squares."""
        return (packed, None) if self.squares is None else (packed[:, :-1], packed[:, -1])


class SparseRows:
    """One embedding table and the optimiser state of its rows.

    AdaGrad has one accumulator for each row, the running sum of the mean squared gradient, as
    in StarSpace, or one for each value, the running sum of its squared gradient, as in GloVe; SGD
    has none.

    Args:
        table: The embeddings, float32 [num_rows, dim]; changed in place.
        adagrad: Whether steps are scaled by AdaGrad.
        max_norm: Longer rows are scaled to this length; None for no bound.
        num_bounded: Number of first rows that ``max_norm`` bounds; None for all rows.
        per_value: Whether AdaGrad has an accumulator for each value instead of each row.
        initial_square: Initial value of the accumulators.
    """

    def __init__(
        self,
        table: Tensor,
        *,
        adagrad: bool,
        max_norm: float | None = None,
        num_bounded: int | None = None,
        per_value: bool = False,
        initial_square: float = 0.0,
    ) -> None:
        self.table = table
        self.max_norm = max_norm
        self.num_bounded = num_bounded
        self._per_value = per_value
        shape = table.shape if per_value else table.shape[:1]
        self.squares = table.new_full(shape, initial_square) if adagrad else None

    def step(
        self, rows: Tensor, gradient: Tensor, learning_rate: float, squares: Tensor | None = None
    ) -> None:
        """Descend along a gradient.

        Args:
            rows: Distinct row numbers, int64 [n].
            gradient: The summed gradient of each row, float32 [n, dim].
            learning_rate: Step size.
            squares: What AdaGrad adds to the accumulator of each row, float32 [n]; None for the
                mean square of ``gradient``, and always None with an accumulator for each value.
        """
        for part in cached_parts(len(rows), self.table):
            self._step_part(
                rows[part],
                gradient[part],
                learning_rate,
                None if squares is None else squares[part],
            )

    def _step_part(
        self, rows: Tensor, gradient: Tensor, learning_rate: float, squares: Tensor | None
    ) -> None:
        if self.squares is not None:
            if squares is None:
                squares = gradient.square()
                squares = squares if self._per_value else squares.mean(1)
            total = self.squares.index_select(0, rows).add_(squares)
            self.squares.index_copy_(0, rows, total)
            scale = total.clamp_min_(1e-20).rsqrt_()
            gradient = scale.mul_(gradient) if self._per_value else gradient * scale.unsqueeze(1)
        values = self.table.index_select(0, rows).add_(gradient, alpha=-learning_rate)
        if self.max_norm is not None:
            norm = values.norm(dim=1, keepdim=True)
            scale = (self.max_norm / norm.clamp_min_(1e-20)).clamp_max_(1.0)
            if self.num_bounded is not None:
                scale[rows >= self.num_bounded] = 1.0
            values.mul_(scale)
        self.table.index_copy_(0, rows, values)

    def state(self) -> dict[str, Tensor]:
        """The tensors of a checkpoint."""
        return {"table": self.table} | ({} if self.squares is None else {"squares": self.squares})

    def load_state(self, state: dict[str, Tensor]) -> None:
        """Copy the tensors of a checkpoint into the table."""
        self.table.copy_(state["table"])
        if self.squares is not None:
            self.squares.copy_(state["squares"])


def cached_parts(num_rows: int, table: Tensor) -> Iterator[slice]:
    """Split the work on rows into parts, so that temporaries stay in the processor's cache.

    Args:
        num_rows: Number of rows to work on.
        table: The table that the rows come from: its width and its device decide. Other devices
            than the CPU have a single part.

    Yields:
        The slices of the parts, in order.
    """
    size = max(num_rows, 1)
    if table.device.type == "cpu":
        size = max(1, _CACHED_VALUES // max(1, table.shape[1]))
    for first in range(0, num_rows, size):
        yield slice(first, first + size)


def sum_rows(indices: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
    """Sum the values that share an index.

    Args:
        indices: int64 [n].
        values: float32 [n, dim].

    Returns:
        The distinct indices in ascending order, [m], and their sums, [m, dim].
    """
    torch = require("torch", "train")
    distinct, inverse = torch.unique(indices, return_inverse=True)
    sums = values.new_zeros((len(distinct), values.shape[1]))
    return distinct, sums.index_add_(0, inverse, values)
