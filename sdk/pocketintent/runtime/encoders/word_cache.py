"""A cache of the vectors of words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from pocketintent.runtime.arrays import FloatArray

WORD_CACHE = 4096
"""Number of words whose vectors are kept, by default."""

MAX_NUMBERS = 1 << 24
"""Numbers that a cache keeps at most, 64 MB."""


class WordCache:
    """The vectors of words, each computed once as long as it is kept.

    A full cache is emptied. Threads may share it: a call sees the vectors of all its words.

    Args:
        embed: The function from different words to their vectors, each float32 [dim].
        capacity: Number of words that are kept; ``WORD_CACHE`` by default.
        size: Numbers of a vector. Fewer words are kept if their vectors would take more than
            ``MAX_NUMBERS``.
    """

    def __init__(
        self,
        embed: Callable[[Sequence[str]], Iterable[FloatArray]],
        capacity: int = 0,
        size: int = 1,
    ) -> None:
        self._embed = embed
        self._capacity = min(capacity or WORD_CACHE, MAX_NUMBERS // size)
        self._vectors: dict[str, FloatArray] = {}

    def __len__(self) -> int:
        return len(self._vectors)

    def rows(self, words: Sequence[str]) -> list[FloatArray]:
        """The vectors of words, one after the other; see :meth:`__call__`."""
        vectors = self._vectors  # read once: another thread may replace it
        try:
            return [vectors[word] for word in words]
        except KeyError:
            vectors_of_all = self(words)
            return [vectors_of_all[word] for word in words]

    def __call__(self, words: Iterable[str]) -> Mapping[str, FloatArray]:
        """The vectors of at least these words; those that are missing are computed together."""
        vectors = self._vectors  # read once: another thread may replace it
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
            self._vectors = additions
        return {**vectors, **additions}
