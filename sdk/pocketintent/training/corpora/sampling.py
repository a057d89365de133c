"""Random draws of words and labels by their frequency, and batches of similar lengths."""

from __future__ import annotations

import numpy as np

from pocketintent.runtime.arrays import IntArray


class FrequencySampler:
    """Draws numbers in proportion to a power of their counts.

    Args:
        counts: Count of each number, [n].
        power: Exponent; 0 draws uniformly, 1 by frequency.
    """

    def __init__(self, counts: IntArray, power: float) -> None:
        weights = np.cumsum(counts.astype(np.float64) ** power)
        self._cumulative = weights / weights[-1]

    def draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> IntArray:
        """Independent draws, int64 of shape ``shape``."""
        return np.searchsorted(self._cumulative, rng.random(shape), side="right")


_POOL_BATCHES = 50  # batches whose members are sorted by length together


def batches_of_similar_length(order: IntArray, lengths: IntArray, size: int) -> list[IntArray]:
    """Cut a random order into batches, sorted by length within pools of 50 batches.

    Args:
        order: Numbers in random order, [n].
        lengths: Length of each number's text, by number.
        size: Members of a batch; the last batch of a pool may have fewer.

    Returns:
        The numbers of each batch.
    """
    batches = []
    for start in range(0, len(order), size * _POOL_BATCHES):
        pool = order[start : start + size * _POOL_BATCHES]
        pool = pool[np.argsort(lengths[pool], kind="stable")]
        batches += [pool[first : first + size] for first in range(0, len(pool), size)]
    return batches
