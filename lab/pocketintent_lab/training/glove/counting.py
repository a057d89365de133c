"""Counting how often words occur together, within a bound on memory.

Counts are whole multiples of 2**-32, so that their sum is the same in any order, and with it the
result for any amount of memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from pocketintent.runtime.arrays import IntArray
from pocketintent.training.corpora.encoded import EncodedCorpus

UNIT = 2.0**-32
"""The value of a count of 1."""

_BYTES_PER_PAIR = 64  # key and count, once more while they are sorted, and the order
_TOKENS_AT_ONCE = 1 << 16

Counts = tuple[IntArray, IntArray]
"""Keys in ascending order, int64 [n], and their counts in units, int64 [n]."""


class PairCounter:
    """Counts pairs of words; what does not fit in memory goes to sorted files.

    The key of a pair of words i <= j is ``i * num_words + j``.

    Args:
        folder: Existing folder for the files; files of an earlier counter are overwritten.
        capacity: Largest number of pairs in memory.
    """

    def __init__(self, folder: Path, capacity: int) -> None:
        self._folder = folder
        self._capacity = max(capacity, 1)
        self._pending: list[Counts] = []
        self._num_pending = 0
        self.files: list[Path] = []

    def add(self, keys: IntArray, counts: IntArray) -> None:
        """Add counts of pairs, in any order; a key may occur several times.

        Args:
            keys: int64 [n].
            counts: int64 [n], in units.
        """
        self._pending.append(sum_counts(keys, counts))
        self._num_pending += len(self._pending[-1][0])
        if self._num_pending > self._capacity:
            self._combine()
            if self._num_pending > self._capacity // 2:
                self._write()

    def merged(self) -> Iterator[Counts]:
        """All counts by ascending key, in blocks that fit in memory together."""
        self._combine()
        if not self.files:
            yield from self._pending
            return
        self._write()
        yield from _merge(self.files, max(1, self._capacity // len(self.files)))

    def _combine(self) -> None:
        if len(self._pending) > 1:
            keys, counts = (np.concatenate(part) for part in zip(*self._pending, strict=True))
            self._pending = [sum_counts(keys, counts)]
            self._num_pending = len(self._pending[0][0])

    def _write(self) -> None:
        for keys, counts in self._pending:
            path = self._folder / f"pairs-{len(self.files)}.bin"
            np.stack([keys, counts], 1).tofile(path)
            self.files.append(path)
        self._pending, self._num_pending = [], 0


def count_pairs(
    corpus: EncodedCorpus, num_words: int, window: int, folder: Path, memory: int
) -> PairCounter:
    """Count the pairs of words within a window of each other in a sentence.

    A pair at distance d counts 1/d. A word with itself counts twice, once from each side.

    Args:
        corpus: The encoded corpus.
        num_words: Size of the vocabulary.
        window: Largest distance of a pair.
        folder: Existing folder for the files of a counter.
        memory: Approximate bound on memory in MB.

    Returns:
        The counter, with all pairs.
    """
    counter = PairCounter(folder, memory * 1_000_000 // _BYTES_PER_PAIR)
    num_tokens = len(corpus.ids)
    for start in range(0, num_tokens, _TOKENS_AT_ONCE):
        end = min(start + _TOKENS_AT_ONCE, num_tokens)
        ids = np.array(corpus.ids[start : min(end + window, num_tokens)], np.int64)
        places = np.arange(start, start + len(ids))
        sentence = np.searchsorted(corpus.sentences, places, side="right")
        for distance in range(1, min(window, len(ids) - 1) + 1):
            stop = min(end - start, len(ids) - distance)
            same = sentence[:stop] == sentence[distance : distance + stop]
            one, other = ids[:stop][same], ids[distance : distance + stop][same]
            keys = np.minimum(one, other) * num_words + np.maximum(one, other)
            count = round(1 / distance / UNIT)
            counter.add(keys, np.where(one == other, 2 * count, count))
    return counter


def sum_counts(keys: IntArray, counts: IntArray) -> Counts:
    """Add up the counts of each key.

    Args:
        keys: int64 [n], in any order.
        counts: int64 [n].

    Returns:
        The distinct keys in ascending order, and their sums.
    """
    if not len(keys):
        return keys, counts
    order = np.argsort(keys, kind="stable")
    keys, counts = keys[order], counts[order]
    firsts = np.flatnonzero(np.diff(keys, prepend=-1))
    return keys[firsts], np.add.reduceat(counts, firsts)


def _merge(files: list[Path], block: int) -> Iterator[Counts]:
    """Merge sorted files, reading at most ``block`` pairs of each at a time."""
    rows = [np.memmap(path, np.int64, "r").reshape(-1, 2) for path in files]
    places = [0] * len(rows)
    while any(place < len(row) for place, row in zip(places, rows, strict=True)):
        parts = [
            np.array(row[place : place + block])
            for place, row in zip(places, rows, strict=True)
            if place < len(row)
        ]
        last = min(int(part[-1, 0]) for part in parts)
        taken = []
        for number, row in enumerate(rows):
            part = row[places[number] : places[number] + block]
            size = int(np.searchsorted(part[:, 0], last, side="right"))
            taken.append(np.array(part[:size]))
            places[number] += size
        together = np.concatenate(taken)
        yield sum_counts(together[:, 0], together[:, 1])
