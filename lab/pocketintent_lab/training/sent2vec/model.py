"""Sent2Vec (Pagliardini, Gupta and Jaggi 2018): CBOW with the whole sentence as the window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pocketintent.runtime.errors import require
from pocketintent.training.loop.table_training import BatchGradients, SparseRows, TableModel
from pocketintent_lab.training.sent2vec.data import GROUP, SentenceBatch
from pocketintent_lab.training.sent2vec.settings import Sent2VecSettings

if TYPE_CHECKING:
    from torch import Tensor


class Sent2Vec(TableModel):
    """The embedding table, with the loss and gradients of a batch of sentences.

    The rows are the words as context, then the words as targets, then the buckets of bigrams.

    Args:
        settings: The run's settings.
        num_words: Size of the vocabulary.
        device: Torch device, such as "cpu" or "cuda:0".
    """

    def __init__(self, settings: Sent2VecSettings, num_words: int, device: str = "cpu") -> None:
        torch = require("torch", "train")
        super().__init__(settings, device)
        self.num_words = num_words
        # Drawn on the CPU, so that all devices start from the same numbers.
        generator = torch.Generator().manual_seed(settings.seed)
        values = torch.rand(2 * num_words + settings.num_buckets, settings.dim, generator=generator)
        values.sub_(0.5).mul_(2 / settings.dim)
        values[num_words : 2 * num_words] = 0  # targets, as in the original program
        self.words = SparseRows(values.to(self.device), adagrad=settings.optimizer == "adagrad")

    def word_embeddings(self) -> Tensor:
        """The embeddings of the words as context, float32 [num_words, dim]."""
        return self.words.table[: self.num_words]

    def gradients(self, batch: SentenceBatch) -> BatchGradients:
        """Loss and gradients of a batch.

        The gradient of a mean is passed on to its members whole, rather than divided by their
        number as the original program does.
        """
        torch = require("torch", "train")
        words, bigrams = self.to_device(batch.words), self.to_device(batch.bigrams)
        negatives = self.to_device(batch.negatives)
        parts = [
            words,
            bigrams + 2 * self.num_words,
            words + self.num_words,
            negatives.flatten() + self.num_words,
        ]
        distinct, inverse = torch.unique(torch.cat(parts), return_inverse=True)
        places = torch.split(inverse, [len(part) for part in parts])
        unigrams, pairs, right, wrong = (self.words.table.index_select(0, part) for part in parts)
        context = _Contexts(self.to_device(batch.owners), self.to_device(batch.places))
        sizes = context.sums(unigrams.new_ones(len(words), 1), pairs.new_ones(len(pairs), 1))
        means = context.sums(unigrams, pairs).div_(sizes.clamp_min_(1))
        predicted = self.to_device(batch.predicted).to(means.dtype).unsqueeze(1)
        loss, d_means, d_right, d_wrong = _negative_sampling(
            means, right, wrong, words, negatives, predicted
        )
        values = means.new_zeros(len(distinct), means.shape[1])
        gradients = (*context.passed_back(d_means), d_right, d_wrong)
        for place, gradient in zip(places, gradients, strict=True):
            values.index_add_(0, place, gradient)
        return BatchGradients(loss, predicted.sum(), distinct, values)


@dataclass(frozen=True)
class _Contexts:
    """The context of each word: the other words and the bigrams of its sentence without it."""

    owners: Tensor
    """Sentence of each word, rising, int64 [num_words]."""
    places: Tensor
    """Place of each bigram's first word, int64 [num_bigrams]."""

    def sums(self, words: Tensor, bigrams: Tensor) -> Tensor:
        """Sum the rows of each word's context, [num_words, dim].

        Args:
            words: A row for each word, [num_words, dim].
            bigrams: A row for each bigram, [num_bigrams, dim].
        """
        own = words.index_add(0, self.places, bigrams).index_add_(0, self.places + 1, bigrams)
        totals = words.new_zeros(int(self.owners[-1]) + 1, words.shape[1])
        totals.index_add_(0, self.owners, words)
        totals.index_add_(0, self.owners[self.places], bigrams)
        return totals.index_select(0, self.owners).sub_(own)

    def passed_back(self, gradients: Tensor) -> tuple[Tensor, Tensor]:
        """The gradients of the words' and the bigrams' rows from those of the sums.

        Args:
            gradients: Gradient of each word's context, [num_words, dim].

        Returns:
            [num_words, dim] and [num_bigrams, dim].
        """
        totals = gradients.new_zeros(int(self.owners[-1]) + 1, gradients.shape[1])
        totals = totals.index_add_(0, self.owners, gradients).index_select(0, self.owners)
        of_words = totals - gradients
        # index_select is several times as fast as indexing on the CPU.
        first = gradients.index_select(0, self.places)
        second = gradients.index_select(0, self.places + 1)
        return of_words, totals.index_select(0, self.places).sub_(first).sub_(second)


def _negative_sampling(
    means: Tensor,
    right: Tensor,
    wrong: Tensor,
    words: Tensor,
    negatives: Tensor,
    predicted: Tensor,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Logistic loss of each word against the negatives of its group, with its gradients.

    Args:
        means: Means of the contexts, float32 [num_words, dim].
        right: Target rows of the words, [num_words, dim].
        wrong: Target rows of the negatives, [groups * k, dim].
        words: The words, int64 [num_words].
        negatives: The negatives, int64 [groups, k]; a negative that is the word itself is left
            out.
        predicted: 1 for a word that is predicted, otherwise 0, float32 [num_words, 1].

    Returns:
        The summed loss, and the gradients of ``means``, ``right`` and ``wrong``.
    """
    torch = require("torch", "train")
    groups, padding = len(negatives), len(negatives) * GROUP - len(words)

    def grouped(rows: Tensor) -> Tensor:
        padded: Tensor = torch.nn.functional.pad(rows, (0, 0, 0, padding))
        return padded.view(groups, GROUP, -1)

    positive = (means * right).sum(1, keepdim=True)
    grouped_means, wrong_groups = grouped(means), wrong.view(groups, -1, wrong.shape[1])
    scores = grouped_means @ wrong_groups.transpose(1, 2)
    used = (grouped(words.unsqueeze(1)) != negatives.unsqueeze(1)) * grouped(predicted)
    softplus = torch.nn.functional.softplus
    loss = (softplus(-positive) * predicted).sum() + (softplus(scores) * used).sum()
    slope = (positive.sigmoid() - 1).mul_(predicted)
    slopes = scores.sigmoid().mul_(used)
    d_means = (slopes @ wrong_groups).flatten(0, 1)[: len(words)].addcmul(slope, right)
    d_wrong = (slopes.transpose(1, 2) @ grouped_means).flatten(0, 1)
    return loss, d_means, slope * means, d_wrong
