"""A cache of the vectors of words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from pocketintent.runtime.arrays import FloatArray

WORD_CACHE = 4096
"""Number of words whose vectors are kept."""

MAX_NUMBERS = 1 << 24
"""Numbers that a cache keeps at most, 64 MB."""


class WordCache:
    """The vectors of words, each computed once as long as it is kept.

    ``embed`` gives the vectors of different words, each float32 [size]. ``WORD_CACHE`` words are
    kept, or fewer if their vectors would take more than ``MAX_NUMBERS``. A full cache is emptied.
    Threads may share it: a call sees the vectors of all its words.
    """

    def __init__(self, embed: Callable[[Sequence[str]], Iterable[FloatArray]], size: int) -> None:
        self._embed = embed
        self._capacity = min(WORD_CACHE, MAX_NUMBERS // size)
        self.vectors: dict[str, FloatArray] = {}
        """The vectors that are kept now; a full cache replaces this mapping."""

    def __len__(self) -> int:
        return len(self.vectors)

    def __call__(self, words: Iterable[str]) -> Mapping[str, FloatArray]:
        """The vectors of at least these words; those that are missing are computed together."""
        vectors = self.vectors  # read once: another thread may replace it
        missing = [word for word in words if word not in vectors]
        if not missing:
            return vectors
        # In order, because the rounding of a network's products depends on the order of its batch.
        different = sorted(set(missing))
        additions = dict(zip(different, self._embed(different), strict=True))
        if len(vectors) + len(additions) <= self._capacity:
            vectors.update(additions)
            return vectors
        if len(additions) <= self._capacity:
            self.vectors = additions
        return {**vectors, **additions}
