"""Random draws of words and labels by their frequency."""

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
