"""GloVe (Pennington, Socher and Manning 2014): weighted least squares on logarithms of counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pocketintent.runtime.errors import require
from pocketintent.training.loop.table_training import (
    BatchGradients,
    SparseRows,
    TableModel,
    TableTraining,
    accumulate,
    cached_parts,
)
from pocketintent_lab.training.glove.data import PairBatch
from pocketintent_lab.training.glove.settings import GloveSettings

if TYPE_CHECKING:
    from torch import Tensor


class ValueRows(SparseRows):
    """A table whose AdaGrad has an accumulator for each value, which begins at 1."""

    def __init__(self, table: Tensor, *, max_norm: float | None = None) -> None:
        super().__init__(table, adagrad=True, max_norm=max_norm)
        self.squares = table.new_ones(table.shape)

    def adapt(
        self, accumulators: Tensor, rows: Tensor, gradient: Tensor, squares: Tensor | None
    ) -> Tensor:
        """The gradient, each value scaled by its own accumulator; ``squares`` is always None."""
        return gradient * accumulate(accumulators, rows, gradient.square())


class Glove(TableModel):
    """The embedding table, with the loss and gradients of a batch of pairs.

    The rows are the words, then the words as context; the last value of a row is its bias. As in
    the original program, AdaGrad has an accumulator for each value, which begins at 1.

    Args:
        settings: The run's settings.
        num_words: Size of the vocabulary.
        device: Torch device, such as "cpu" or "cuda:0".
    """

    def __init__(self, settings: GloveSettings, num_words: int, device: str = "cpu") -> None:
        torch = require("torch", "train")
        super().__init__(settings, device)
        self.num_words = num_words
        # Drawn on the CPU, so that all devices start from the same numbers.
        generator = torch.Generator().manual_seed(settings.seed)
        values = torch.rand(2 * num_words, settings.dim + 1, generator=generator)
        values.sub_(0.5).div_(settings.dim)
        self.words = ValueRows(values.to(self.device))

    def word_embeddings(self) -> Tensor:
        """The sums of each word's two embeddings, float32 [num_words, dim]."""
        table = self.words.table[:, :-1]
        return table[: self.num_words] + table[self.num_words :]

    def gradients(self, batch: PairBatch) -> BatchGradients:
        """Loss and gradients of a batch, each pair in both directions.

        The loss of a pair with the count x is ``f(x) / 2 * (w.c + b_w + b_c - log x) ** 2``, where
        f(x) is ``(x / x_max) ** alpha`` and at most 1.
        """
        torch = require("torch", "train")
        one, other, counts = (
            self.to_device(array) for array in (batch.one, batch.other, batch.counts)
        )
        # A word and its context, in both directions; both have the same distinct words.
        distinct, places = torch.unique(torch.cat([one, other]), return_inverse=True)
        opposites = places.roll(len(one))
        rows = torch.cat([distinct, distinct + self.num_words])
        # A word with itself is one pair, not two.
        weights = (counts / self.settings.x_max).clamp_max_(1) ** self.settings.alpha
        weights = torch.cat([weights, weights * (one != other)])
        logarithms = counts.log().repeat(2)
        error = torch.empty_like(weights)
        values = self.words.table.new_zeros(len(rows), self.words.table.shape[1])
        words, contexts = torch.split(values, len(distinct))
        pairs = torch.cat([one, other]), torch.cat([other, one]) + self.num_words
        for part in cached_parts(len(places), values):
            word, context = places[part], opposites[part]
            left, right = (self.words.table.index_select(0, side[part]) for side in pairs)
            products = (left[:, :-1] * right[:, :-1]).sum(1) + left[:, -1] + right[:, -1]
            error[part] = products - logarithms[part]
            slope = (weights[part] * error[part]).unsqueeze(1)
            for sums, place, other_side in ((words, word, right), (contexts, context, left)):
                other_side[:, -1] = 1  # the factor of the bias
                sums.index_add_(0, place, other_side.mul_(slope))
        loss = (weights * error.square()).sum() / 2
        return BatchGradients(loss, (weights > 0).sum(), rows, values)


class GloveTraining(TableTraining):
    """Trains GloVe; its progress is counted in pairs."""

    unit = "pairs"
