"""Texts as word ids with a sentence encoder's vectors: the data of every kind of distillation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pocketintent.runtime.arrays import FloatArray, IntArray
from pocketintent.runtime.errors import require
from pocketintent.training.corpora.encoded import ragged_ranges

_BLOCK = 4096  # texts whose vectors are computed with at once


@dataclass(frozen=True, eq=False)
class TargetTexts:
    """Texts as word ids, with the target direction of each text's vector."""

    ids: IntArray
    """Words of all texts, int64 [num_tokens]."""
    offsets: IntArray
    """Text ``i`` is ``ids[offsets[i]:offsets[i + 1]]``, never empty; int64 [num_texts + 1]."""
    targets: FloatArray
    """Unit vectors, float32 [num_texts, dim]."""

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> IntArray:
        """Number of words of each text, int64 [num_texts]."""
        return np.diff(self.offsets)

    def take(self, numbers: IntArray) -> TargetTexts:
        """A selection of the texts, by number."""
        lengths = self.lengths[numbers]
        ids = self.ids[ragged_ranges(self.offsets[numbers], lengths)]
        return TargetTexts(ids, np.append(0, lengths.cumsum()), self.targets[numbers])

    def owners(self) -> IntArray:
        """The text of each word, int64 [num_tokens]."""
        return np.repeat(np.arange(len(self)), self.lengths)

    def split(self, share: float, seed: int) -> tuple[TargetTexts, TargetTexts]:
        """Hold out texts of several words at random.

        Args:
            share: Share of the texts that is held out, 0 to below 1.
            seed: Seed of the draw.

        Returns:
            The texts to learn, and the texts held out.
        """
        held_out = np.random.default_rng(seed).random(len(self)) < share
        held_out &= self.lengths > 1
        return self.take(np.flatnonzero(~held_out)), self.take(np.flatnonzero(held_out))


def reduce_targets(vectors: FloatArray, dim: int) -> FloatArray:
    """The first principal components of the centred vectors, at unit length.

    Source: Mu and Viswanath 2018.

    Args:
        vectors: float32 [n, teacher_dim].
        dim: Number of components, at most ``teacher_dim``.

    Returns:
        float32 [n, dim].
    """
    mean, full = vectors.mean(axis=0), vectors.shape[1]
    blocks = [slice(start, start + _BLOCK) for start in range(0, len(vectors), _BLOCK)]
    directions = np.eye(full, dtype=np.float32)
    if dim < full:
        centred = (vectors[block] - mean for block in blocks)
        covariance = sum(part.T @ part for part in centred)
        directions = np.linalg.eigh(covariance)[1][:, -dim:].astype(np.float32)
    reduced = np.empty((len(vectors), dim), np.float32)
    for block in blocks:
        reduced[block] = (vectors[block] - mean) @ directions
    reduced /= np.linalg.norm(reduced, axis=1, keepdims=True).clip(1e-8)
    return reduced


def initial_word_vectors(
    texts: TargetTexts, counts: IntArray, frequency_weight: float
) -> FloatArray:
    """The initial vectors of words: the target of each single word, weighted by frequency.

    A word that is not a text by itself starts at the mean of the texts that contain it.

    Args:
        texts: The texts. Ids from ``len(counts)`` on belong to words without a vector.
        counts: How often each word occurs, int64 [num_words].
        frequency_weight: a in the weight a / (a + share of the text) (Arora et al. 2017); 0 for
            no weights.

    Returns:
        float32 [num_words, dim].
    """
    torch = require("torch", "train")
    num_words = len(counts)
    sums = torch.zeros(num_words, texts.targets.shape[1])
    for first in range(0, len(texts), _BLOCK):
        block = texts.take(np.arange(first, min(first + _BLOCK, len(texts))))
        known = block.ids < num_words
        owners = torch.from_numpy(block.owners()[known])
        sums.index_add_(
            0, torch.from_numpy(block.ids[known]), torch.from_numpy(block.targets)[owners]
        )
    vectors: FloatArray = sums.numpy()
    alone = np.flatnonzero((texts.lengths == 1) & (texts.ids[texts.offsets[:-1]] < num_words))
    vectors[texts.ids[texts.offsets[alone]]] = texts.targets[alone]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True).clip(1e-8)
    if frequency_weight:
        share = counts / counts.sum()
        vectors *= (frequency_weight / (frequency_weight + share))[:, None].astype(np.float32)
    return vectors
