"""StarSpace (Wu et al. 2018): one space for words, sentences and labels, learnt by ranking."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor

from pocketintent.runtime.text.ngrams import ngram_buckets
from pocketintent.training.loop.table_training import (
    BatchGradients,
    SparseRows,
    TableModel,
    sum_rows,
)
from pocketintent.training.starspace.data import BagBatch, WordBatch
from pocketintent.training.starspace.ranking import RankingGradients, margin_cosine, softmax_dot
from pocketintent.training.starspace.settings import StarSpaceSettings


class StarSpace(TableModel):
    """The embedding tables, with the loss and gradients of a batch of thousands of examples.

    The rows of the first table are the words, then the labels (labelled mode) or the words
    again as targets (word mode with ``share_sides`` off).
    """

    def __init__(
        self,
        settings: StarSpaceSettings,
        words: list[str],
        *,
        num_labels: int = 0,
        device: str = "cpu",
    ) -> None:
        super().__init__(settings, device)
        settings.check()
        self.num_words = len(words)
        self._target_shift = 0
        num_rows = len(words) + num_labels
        if settings.mode == "word" and not settings.share_sides:
            self._target_shift = len(words)
            num_rows = 2 * len(words)
        # Drawn on the CPU, so that all devices start from the same numbers.
        generator = torch.Generator().manual_seed(settings.seed)

        def table(rows: int, num_bounded: int | None = None) -> SparseRows:
            values = torch.randn(rows, settings.dim, generator=generator) * settings.init_scale
            return SparseRows(
                values.to(self.device),
                adagrad=settings.optimizer == "adagrad",
                max_norm=settings.max_norm,
                num_bounded=num_bounded,
            )

        targets_are_free = self._target_shift and not settings.bound_targets
        self.words = table(num_rows, self._target_shift if targets_are_free else None)
        self.ngrams = table(settings.num_buckets) if settings.num_buckets else None
        self._per_example = settings.optimizer == "adagrad" and settings.accumulate == "example"
        lists: list[list[int]] = [[] for _ in range(num_rows)]
        if settings.num_buckets:
            sizes = (settings.min_n, settings.max_n, settings.num_buckets)
            lists[: len(words)] = [ngram_buckets(word, *sizes) for word in words]
        flat = np.array([bucket for buckets in lists for bucket in buckets], np.int64)
        self._buckets = torch.from_numpy(flat).to(self.device)
        self._num_ngrams = torch.tensor([len(buckets) for buckets in lists], device=self.device)
        self._first_ngrams = self._num_ngrams.cumsum(0) - self._num_ngrams

    def compose(self, rows: Tensor) -> Tensor:
        """Embeddings, float32 [n, dim]: the row, plus the mean of a word's n-grams' rows."""
        vectors = self.words.table.index_select(0, rows)
        if self.ngrams is not None:
            buckets, owners, shares = self._ngrams_of(rows)
            vectors.index_add_(0, owners, self.ngrams.table.index_select(0, buckets) * shares)
        return vectors

    def _ngrams_of(self, rows: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The n-grams of rows: buckets, indices into ``rows``, [m], shares of means, [m, 1]."""
        lengths = self._num_ngrams[rows]
        owners = torch.repeat_interleave(lengths)
        first = (self._first_ngrams[rows] - (lengths.cumsum(0) - lengths))[owners]
        buckets = self._buckets[first + torch.arange(len(owners), device=rows.device)]
        return buckets, owners, (1.0 / lengths[owners]).unsqueeze(1)

    def word_embeddings(self) -> Tensor:
        """The composed embeddings of all words, float32 [num_words, dim]."""
        return self.compose(torch.arange(self.num_words, device=self.device))

    def step(self, gradients: BatchGradients, learning_rate: float) -> None:
        """Descend along a batch's gradients."""
        if self.ngrams is not None:
            buckets, owners, shares = self._ngrams_of(gradients.rows)
            values = gradients.values.index_select(0, owners) * shares
            squares = gradients.squares
            if squares is not None:
                squares = squares.unsqueeze(1).index_select(0, owners) * shares.square()
                squares = sum_rows(buckets, squares)[1].squeeze(1)
            self.ngrams.step(*sum_rows(buckets, values), learning_rate, squares)
        super().step(gradients, learning_rate)

    def gradients(self, batch: WordBatch | BagBatch) -> BatchGradients:
        """Loss and gradients of a batch."""
        if isinstance(batch, WordBatch):
            return self._word_gradients(batch)
        return self._bag_gradients(batch)

    def _word_gradients(self, batch: WordBatch) -> BatchGradients:
        slots, sentences = self.to_device(batch.slots), self.to_device(batch.sentences)
        negatives = self.to_device(batch.negatives)
        context, real = self._context(sentences)
        words = slots.clamp_min(0).flatten()
        parts = [words, negatives.flatten() + self._target_shift]
        if self._target_shift:
            parts.append(words + self._target_shift)
        distinct, inverse = torch.unique(torch.cat(parts), return_inverse=True)
        vectors = self.compose(distinct).index_select(0, inverse)
        pieces = [len(part) for part in parts]
        tokens, wrong, *targets = torch.split(vectors, pieces)
        tokens = tokens.view(*slots.shape, -1)
        right = targets[0].view(*slots.shape, -1) if targets else tokens
        allowed = (slots.unsqueeze(2) != negatives.unsqueeze(1)) & real.unsqueeze(2)
        left = self._scale_bags(context @ tokens, lambda: context.sum(-1, keepdim=True))
        ranking = self._rank(
            left, right, wrong.view(*negatives.shape, -1), allowed.to(vectors.dtype)
        )
        # The context matrix is symmetric, so it also passes gradients back to the context words.
        d_tokens = context @ ranking.left
        if targets:
            d_right = [ranking.base * ranking.right_scale]
        else:
            d_right = []
            d_tokens.addcmul_(ranking.base, ranking.right_scale)
        places = torch.split(inverse, pieces)
        values = _sum_parts(len(distinct), places, [d_tokens, ranking.negatives, *d_right])
        squares = None
        if self._per_example:
            left, right, wrong = ranking.squares()
            shares = [context @ left, wrong, right] if targets else [context @ left + right, wrong]
            squares = _sum_parts(len(distinct), places, shares).squeeze(1)
            squares /= self.settings.dim
        return BatchGradients(ranking.loss, real.sum(), distinct, values, squares)

    def _context(self, sentences: Tensor) -> tuple[Tensor, Tensor]:
        """Where a slot is in another's context, float32 [rows, slots, slots], and who has one."""
        place = torch.arange(sentences.shape[1], device=self.device)
        distance = (place.unsqueeze(0) - place.unsqueeze(1)).abs()
        near = (distance > 0) & (distance <= self.settings.window)
        same = sentences.unsqueeze(2) == sentences.unsqueeze(1)
        linked = near & same & (sentences >= 0).unsqueeze(2)
        return linked.to(self.words.table.dtype), linked.any(-1)

    def _bag_gradients(self, batch: BagBatch) -> BatchGradients:
        arrays = (batch.left.ids, batch.left.owners, batch.right.ids, batch.right.owners)
        left_ids, left_owners, right_ids, right_owners = map(self.to_device, arrays)
        keys, negatives = self.to_device(batch.right.keys), self.to_device(batch.negatives)
        groups, count = len(negatives), len(batch.left.keys)
        distinct, inverse = torch.unique(torch.cat([left_ids, right_ids]), return_inverse=True)
        vectors = self.compose(distinct).index_select(0, inverse)
        left = vectors.new_zeros(count, vectors.shape[1])
        left.index_add_(0, left_owners, vectors[: len(left_ids)])
        right = vectors.new_zeros(len(keys), vectors.shape[1])
        right.index_add_(0, right_owners, vectors[len(left_ids) :])
        left = self._scale_bags(left, lambda: _bag_sizes(left_owners, count))
        right = self._scale_bags(right, lambda: _bag_sizes(right_owners, len(keys)))
        shape = (groups, count // groups, -1)
        other = keys[negatives].unsqueeze(1) != keys[:count].view(groups, -1, 1)
        ranking = self._rank(
            left.view(shape), right[:count].view(shape), right[negatives], other.to(vectors.dtype)
        )

        def sum_by_row(d_left: Tensor, right_sides: Tensor, d_negatives: Tensor) -> Tensor:
            d_right = right.new_zeros(len(right), d_left.shape[-1])
            d_right[:count] = right_sides.flatten(0, 1)
            d_right.index_add_(0, negatives.flatten(), d_negatives.flatten(0, 1))
            gradient = torch.cat([d_left.flatten(0, 1)[left_owners], d_right[right_owners]])
            sums = gradient.new_zeros(len(distinct), gradient.shape[1])
            return sums.index_add_(0, inverse, gradient)

        return BatchGradients(
            ranking.loss,
            torch.tensor(count, device=self.device),
            distinct,
            sum_by_row(ranking.left, ranking.base * ranking.right_scale, ranking.negatives),
            sum_by_row(*ranking.squares()).squeeze(1) / self.settings.dim
            if self._per_example
            else None,
        )

    def _scale_bags(self, sums: Tensor, sizes: Callable[[], Tensor]) -> Tensor:
        """Divide the sums of bags by a power of their sizes, [..., 1], before a dot product.

        As in the original program, the gradient is passed on to the rows without this division.
        """
        power = self.settings.bag_power
        if self.settings.loss != "softmax" or not power:
            return sums
        scaled: Tensor = sums / sizes().clamp_min(1) ** power
        return scaled

    def _rank(
        self, left: Tensor, right: Tensor, negatives: Tensor, allowed: Tensor
    ) -> RankingGradients:
        if self.settings.loss == "margin":
            mean = self.settings.violations == "mean"
            return margin_cosine(left, right, negatives, allowed, self.settings.margin, mean=mean)
        return softmax_dot(left, right, negatives, allowed)


def _sum_parts(num_rows: int, places: Sequence[Tensor], parts: Sequence[Tensor]) -> Tensor:
    """The sum of the parts' entries, [groups, entries, dim], by row, [num_rows, dim]."""
    sums = parts[0].new_zeros(num_rows, parts[0].shape[-1])
    for place, part in zip(places, parts, strict=True):
        sums.index_add_(0, place, part.flatten(0, 1))
    return sums


def _bag_sizes(owners: Tensor, num_bags: int) -> Tensor:
    """The number of rows in each bag, float32 [num_bags, 1]."""
    return torch.bincount(owners, minlength=num_bags).float().unsqueeze(1)
