"""Training targets: texts with the vectors that a small encoder learns for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pocketintent.runtime.arrays import FloatArray, IntArray
from pocketintent.runtime.errors import PocketIntentError, require
from pocketintent.training.corpora.encoded import ragged_ranges
from pocketintent.training.vectors.reading import read_vectors
from pocketintent.training.vectors.table import TermVectors

_BLOCK = 4096  # texts whose vectors are computed with at once


def read_targets(paths: Sequence[str | Path], limit: int | None = None) -> TermVectors:
    """Read and concatenate several files of vectors; duplicate texts are kept.

    Args:
        paths: The files, see :func:`pocketintent.training.vectors.reading.read_vectors`.
        limit: Number of texts to read from each file; None for all.

    Returns:
        The texts and their vectors, float32 [num_texts, dim].

    Raises:
        PocketIntentError: A file cannot be read, or the dimensions differ.
    """
    parts = [read_vectors(path, limit) for path in paths]
    for path, part in zip(paths, parts, strict=True):
        if part.dim != parts[0].dim:
            raise PocketIntentError(
                f"{path}: its vectors have dim {part.dim}, but {paths[0]} has dim {parts[0].dim}"
            )
    terms = [term for part in parts for term in part.terms]
    return TermVectors(terms, np.concatenate([part.vectors for part in parts]))


def principal_components(targets: TermVectors, dim: int) -> TermVectors:
    """The same texts with the principal components of their vectors; see :func:`reduce_targets`.

    Args:
        targets: The texts and their vectors, float32 [num_texts, full_dim].
        dim: Number of components, at most ``full_dim``.

    Returns:
        The texts and vectors float32 [num_texts, dim]: unit length, or zeros where a vector is
        zeros.
    """
    known = np.flatnonzero(targets.vectors.any(axis=1))
    reduced = np.zeros((len(targets), dim), np.float32)
    if len(known):
        vectors = targets.vectors if len(known) == len(targets) else targets.vectors[known]
        reduced[known] = reduce_targets(vectors, dim)
    return TermVectors(targets.terms, reduced)


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
