"""The data of GloVe: co-occurrence counts on disk in random order, and batches of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray, IntArray
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.atomic import replacing
from pocketintent.training.corpora.encoded import EncodedCorpus
from pocketintent.training.loop.run import Report
from pocketintent_lab.training.glove.counting import UNIT, Counts, count_pairs
from pocketintent_lab.training.glove.settings import GloveSettings

_PAIR = np.dtype([("one", "<i4"), ("other", "<i4"), ("count", "<f4")])
_FILE = "counts.bin"
_MAX_PARTS = 256  # files that are open at a time; a part is chosen by 8 bits


@dataclass(frozen=True)
class PairBatch:
    """Pairs of words with their counts; each is trained in both directions."""

    one: IntArray
    """First word of each pair, int64 [n]."""
    other: IntArray
    """Second word of each pair, int64 [n]."""
    counts: FloatArray
    """How often the words occur together, float32 [n]."""


def prepare_counts(
    corpus: EncodedCorpus, num_words: int, folder: Path, settings: GloveSettings, report: Report
) -> None:
    """Count the pairs of a corpus and shuffle them, unless the folder already contains them.

    Args:
        corpus: The encoded corpus.
        num_words: Size of the vocabulary.
        folder: The work folder.
        settings: The settings of the run.
        report: Receives lines of progress.

    Raises:
        PocketIntentError: No sentence has two known words.
    """
    if (folder / _FILE).exists():  # written last
        return
    report("counting pairs of words")
    counter = count_pairs(corpus, num_words, settings.window, folder, settings.memory)
    if counter.files:
        report(f"the counts outgrew --memory: {len(counter.files)} parts are merged from disk")
    num_parts = min(len(counter.files) + 1, _MAX_PARTS)
    parts = [folder / f"part-{number}.bin" for number in range(num_parts)]
    _deal(counter.merged(), num_words, parts, settings.seed)
    with replacing(folder / _FILE) as temporary, temporary.open("wb") as file:
        for path in parts:
            pairs = np.fromfile(path, _PAIR)
            keys = pairs["one"].astype(np.int64) * num_words + pairs["other"]
            file.write(pairs[np.argsort(_random_numbers(keys, settings.seed))].tobytes())
    for path in [*parts, *counter.files]:
        path.unlink()
    if not (folder / _FILE).stat().st_size:
        raise PocketIntentError("the corpus has no sentence of two known words to learn from")


class PairBatches:
    """Batches of the pairs that :func:`prepare_counts` wrote to a folder.

    The pairs were shuffled once; in each epoch the batches are in another order.

    Args:
        folder: The work folder.
        settings: The run's settings.
    """

    def __init__(self, folder: Path, settings: GloveSettings) -> None:
        self._pairs = np.memmap(folder / _FILE, _PAIR, "r")
        self._settings = settings
        self.words_per_epoch = len(self._pairs)
        self.start_epoch(0)

    def __len__(self) -> int:
        """Number of batches in an epoch."""
        return -(-len(self._pairs) // self._settings.batch_size)

    def start_epoch(self, epoch: int) -> int:
        """Shuffle the batches for an epoch."""
        rng = np.random.default_rng([self._settings.seed, 1, epoch])
        self._order = rng.permutation(len(self))
        return len(self)

    def batch(self, number: int) -> PairBatch:
        """One batch of the current epoch."""
        first = int(self._order[number]) * self._settings.batch_size
        pairs = self._pairs[first : first + self._settings.batch_size]
        return PairBatch(
            pairs["one"].astype(np.int64), pairs["other"].astype(np.int64), np.array(pairs["count"])
        )


def _deal(blocks: Iterator[Counts], num_words: int, parts: list[Path], seed: int) -> None:
    """Deal pairs to files by rising random number."""
    with ExitStack() as stack:
        files = [stack.enter_context(path.open("wb")) for path in parts]
        for keys, counts in blocks:
            pairs = np.empty(len(keys), _PAIR)
            pairs["one"], pairs["other"] = np.divmod(keys, num_words)
            pairs["count"] = counts * UNIT
            highest_bits = (_random_numbers(keys, seed) >> np.uint64(56)).astype(np.int64)
            chosen = highest_bits * len(files) // 256
            for number, file in enumerate(files):
                file.write(pairs[chosen == number].tobytes())


def _random_numbers(keys: IntArray, seed: int) -> NDArray[np.uint64]:
    """A number for each key, by which pairs are shuffled: it depends on key and seed alone.

    The mixing function of SplitMix64 (Steele, Lea and Flood 2014); distinct keys get distinct
    numbers.
    """
    state = np.random.default_rng(seed).integers(0, 2**64, dtype=np.uint64)
    mixed = keys.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + state
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
