"""Random draws of words and labels by their frequency, and batches of similar lengths."""

from __future__ import annotations

import numpy as np

from pocketintent.runtime.arrays import IntArray


class FrequencySampler:
    """Draws numbers in proportion to a power of their counts, [n]; power 0 draws uniformly."""

    def __init__(self, counts: IntArray, power: float) -> None:
        weights = np.cumsum(counts.astype(np.float64) ** power)
        self._cumulative = weights / weights[-1]

    def draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> IntArray:
        """Independent draws, int64 of shape ``shape``."""
        return np.searchsorted(self._cumulative, rng.random(shape), side="right")


_POOL_BATCHES = 50  # batches whose members are sorted by length together


def batches_of_similar_length(order: IntArray, lengths: IntArray, size: int) -> list[IntArray]:
    """Cut numbers in random order into batches, sorted by length within pools of 50 batches.

    ``lengths`` has the length of each number's text. The last batch of a pool may be short.
    """
    batches = []
    for start in range(0, len(order), size * _POOL_BATCHES):
        pool = order[start : start + size * _POOL_BATCHES]
        pool = pool[np.argsort(lengths[pool], kind="stable")]
        batches += [pool[first : first + size] for first in range(0, len(pool), size)]
    return batches
