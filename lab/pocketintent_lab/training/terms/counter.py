"""Counting more keys than memory can store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pocketintent.runtime.errors import PocketIntentError

_UNDERCOUNT_BIT = 40
_COUNT_MASK = (1 << _UNDERCOUNT_BIT) - 1


class BoundedCounter:
    """Counts of the frequent keys, in a table of bounded size.

    Lossy counting (Manku and Motwani 2002): when the table is full, its rarest half is dropped,
    and a key that returns has been missed at most ``max_missed`` times. For each key,
    ``true - max_missed <= count <= true``, and every key that occurred more than ``max_missed``
    times is in the table. Nothing is lost while the keys fit.

    Args:
        limit: Largest number of keys in the table; at least 2.

    Attributes:
        max_missed: Largest error of a count; 0 as long as nothing was dropped.

    Raises:
        PocketIntentError: ``limit`` is below 2.
    """

    def __init__(self, limit: int) -> None:
        if limit < 2:
            raise PocketIntentError(f"a table of counts needs room for 2 keys or more, not {limit}")
        self.limit = limit
        self.max_missed = 0
        # A value is the count since the key was added and, in the bits above, what it may have
        # missed before: two numbers in one object of the dict.
        self._values: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._values)

    def add(self, keys: Iterable[str]) -> None:
        """Count each of the keys once."""
        values = self._values
        fresh = self.max_missed << _UNDERCOUNT_BIT
        for key in keys:
            values[key] = values.get(key, fresh) + 1
        while len(self._values) > self.limit:
            self._drop_rare()

    def items(self) -> Iterator[tuple[str, int]]:
        """Each key with its count, in the order in which the keys were added."""
        return ((key, value & _COUNT_MASK) for key, value in self._values.items())

    def _drop_rare(self) -> None:
        upper_bounds = [(v & _COUNT_MASK) + (v >> _UNDERCOUNT_BIT) for v in self._values.values()]
        self.max_missed = sorted(upper_bounds)[len(upper_bounds) // 2]
        self._values = {
            key: value
            for (key, value), bound in zip(self._values.items(), upper_bounds, strict=True)
            if bound > self.max_missed
        }
