"""Word vectors distilled from a sentence encoder, so that their sum is the vector of a text.

A sentence encoder's vectors of single words make a fair table (Model2Vec, Tulkens and van Dongen
2024), but words differ in weight, and in a text a word seldom means what it means alone. The
table is therefore fitted to the encoder's vectors of whole texts.
"""

from __future__ import annotations

import numpy as np
import torch

from pocketintent.runtime.arrays import FloatArray
from pocketintent.training.distil.settings import DistilSettings
from pocketintent.training.loop.table_training import BatchGradients, SparseRows, TableModel
from pocketintent.training.teachers.targets import TargetTexts


class TextBatches:
    """Batches of the texts to learn, each a function of seed, epoch and number alone."""

    def __init__(self, texts: TargetTexts, settings: DistilSettings) -> None:
        self._texts = texts
        self._settings = settings
        self.words_per_epoch = len(texts.ids)
        self.start_epoch(0)

    def __len__(self) -> int:
        """Number of batches in an epoch."""
        return -(-len(self._texts) // self._settings.batch_size)

    def start_epoch(self, epoch: int) -> None:
        """Shuffle the texts for an epoch."""
        rng = np.random.default_rng([self._settings.seed, epoch])
        self._order = rng.permutation(len(self._texts))

    def batch(self, number: int) -> TargetTexts:
        """One batch of the current epoch."""
        first = number * self._settings.batch_size
        return self._texts.take(self._order[first : first + self._settings.batch_size])


class WordSums(TableModel):
    """A table of word vectors, with the loss and gradients of a batch of texts.

    The loss of a text is ``1 - cosine`` between the sum of its words' vectors and its target.
    ``vectors``, float32 [num_words, dim], are the initial ones.
    """

    def __init__(self, settings: DistilSettings, vectors: FloatArray, device: str = "cpu") -> None:
        super().__init__(settings, device)
        self.words = SparseRows(torch.from_numpy(vectors.copy()).to(self.device), adagrad=True)

    def gradients(self, batch: TargetTexts) -> BatchGradients:
        """Summed loss of a batch, and its gradient for the words in it."""
        owners, targets = self.to_device(batch.owners()), self.to_device(batch.targets)
        rows, inverse = torch.unique(self.to_device(batch.ids), return_inverse=True)
        vectors = self.words.table.index_select(0, rows)
        sums = torch.zeros_like(targets).index_add_(0, owners, vectors.index_select(0, inverse))
        # d cos(s, t) / ds = (t - cos u) / |s|, with u = s / |s|
        norms = sums.norm(dim=1, keepdim=True).clamp_min(1e-6)
        unit = sums / norms
        cosines = (unit * targets).sum(1, keepdim=True)
        d_sums = (cosines * unit - targets) / norms
        d_vectors = torch.zeros_like(vectors).index_add_(0, inverse, d_sums.index_select(0, owners))
        count = torch.tensor(len(batch), device=self.device)
        return BatchGradients((1 - cosines).sum(), count, rows, d_vectors)

    def mean_cosine(self, texts: TargetTexts) -> float:
        """Mean cosine similarity of the texts' sums to their targets, -1..1."""
        total, size = 0.0, self.settings.batch_size
        for first in range(0, len(texts), size):
            numbers = np.arange(first, min(first + size, len(texts)))
            total += len(numbers) - float(self.gradients(texts.take(numbers)).loss)
        return total / len(texts)
