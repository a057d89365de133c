"""Counting the tokens of a corpus, selecting the words that get an embedding, drawing by counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np

from pocketintent.runtime.arrays import IntArray
from pocketintent.runtime.errors import PocketIntentError


@dataclass(frozen=True)
class CountedVocabulary:
    """Words by falling frequency, with their counts."""

    words: list[str]
    """The words; equally frequent ones in alphabetical order."""
    counts: IntArray
    """Occurrences of each in the corpus, int64 [num_words]."""

    def __len__(self) -> int:
        return len(self.words)


def count_vocabulary(
    texts: Iterable[list[str]],
    *,
    min_count: int = 1,
    max_words: int | None = None,
    extra_words: Collection[str] = frozenset(),
) -> CountedVocabulary:
    """Count the tokens of texts and keep the ``max_words`` most frequent words; None for all.

    Words below ``min_count`` are left out, but for ``extra_words``; no word is a PocketIntentError.
    """
    counter: Counter[str] = Counter()
    for tokens in texts:
        counter.update(tokens)
    kept = [word for word in counter if counter[word] >= min_count or word in extra_words]
    ranked = sorted(kept, key=lambda word: (-counter[word], word))[:max_words]
    if not ranked:
        raise PocketIntentError(
            f"the corpus has no word that occurs {min_count} times or more; "
            "give a larger corpus or a smaller --min-count"
        )
    return CountedVocabulary(ranked, np.array([counter[word] for word in ranked], np.int64))


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
