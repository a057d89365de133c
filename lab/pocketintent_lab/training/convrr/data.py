"""Texts in groups, as vectors of their words, and batches of whole groups."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray, IntArray, row_lengths, unit_rows
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.corpora.encoded import ragged_ranges


@dataclass(frozen=True, eq=False)
class GroupedTexts:
    """Texts that belong to groups: questions and their document, or templates of an intent."""

    words: FloatArray
    """Vectors of all words, text after text, float32 [num_words, dim]."""
    counts: IntArray
    """Number of words of each text, at least 1, int64 [num_texts]."""
    bases: FloatArray
    """Unit vectors of the texts, to which the network adds, float32 [num_texts, dim]."""
    groups: IntArray
    """Group of each text, int64 [num_texts]."""
    is_query: NDArray[np.bool_]
    """Whether a text looks for others, [num_texts]."""
    is_answer: NDArray[np.bool_]
    """Whether a text may be found, [num_texts]."""

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def dim(self) -> int:
        """Size of the vectors."""
        return int(self.words.shape[1])

    def take(self, numbers: IntArray) -> GroupedTexts:
        """A selection of the texts, by number."""
        counts = self.counts[numbers]
        starts = (self.counts.cumsum() - self.counts)[numbers]
        return GroupedTexts(
            self.words[ragged_ranges(starts, counts)],
            counts,
            self.bases[numbers],
            self.groups[numbers],
            self.is_query[numbers],
            self.is_answer[numbers],
        )

    def mean_length(self) -> float:
        """The mean length of the words' vectors, without zeros; 1 if there are none."""
        lengths = row_lengths(self.words)
        lengths = lengths[lengths > 0]
        return float(lengths.mean()) if len(lengths) else 1.0


def group_texts(
    words: Iterable[FloatArray],
    groups: Sequence[int],
    *,
    bases: Sequence[FloatArray] | None = None,
    is_query: Sequence[bool] | None = None,
    is_answer: Sequence[bool] | None = None,
) -> GroupedTexts:
    """Collect texts.

    Args:
        words: The vectors of each text's words, float32 [num_words, dim]; of a text without words,
            zeros count as one word.
        groups: The group of each text.
        bases: The unit vector of each text; None for the mean of its words, as in the paper.
        is_query: Whether each text looks for others; None if all do.
        is_answer: Whether each text may be found; None if all may.
    """
    lists = [rows if len(rows) else np.zeros((1, rows.shape[1]), np.float32) for rows in words]
    vectors = [rows.mean(axis=0) for rows in lists] if bases is None else list(bases)
    everything = np.ones(len(lists), np.bool_)
    return GroupedTexts(
        np.concatenate(lists).astype(np.float32, copy=False),
        np.array([len(rows) for rows in lists], np.int64),
        unit_rows(np.stack(vectors).astype(np.float32, copy=False)),
        np.asarray(groups, np.int64),
        everything if is_query is None else np.asarray(is_query, np.bool_),
        everything if is_answer is None else np.asarray(is_answer, np.bool_),
    )


class GroupBatches:
    """Batches of whole groups, each a function of seed, epoch and number alone.

    A batch has at least two groups, so that it has texts of another group.

    Args:
        texts: The texts.
        batch_size: Approximate number of texts of a batch.
        seed: Seed of the order of the groups.

    Raises:
        PocketIntentError: There are fewer than two groups, or none with a query and another text
            that answers it.
    """

    def __init__(self, texts: GroupedTexts, batch_size: int, seed: int) -> None:
        self._texts, self._batch_size, self._seed = texts, batch_size, seed
        order = np.argsort(texts.groups, kind="stable")
        ends = np.flatnonzero(np.diff(texts.groups[order])) + 1
        self._members = np.split(order, ends)
        if len(self._members) < 2:
            raise PocketIntentError("training requires texts of at least two groups")
        if not any(self._has_pair(members) for members in self._members):
            raise PocketIntentError(
                "training requires a group of at least two texts, of which one is to find another"
            )
        self._batches: list[IntArray] = []

    def _has_pair(self, members: IntArray) -> bool:
        queries, answers = self._texts.is_query[members], self._texts.is_answer[members]
        return bool((queries[:, None] & answers & ~np.eye(len(members), dtype=np.bool_)).any())

    def start_epoch(self, epoch: int) -> int:
        """Shuffle the groups for an epoch; returns the number of batches."""
        rng = np.random.default_rng([self._seed, epoch])
        order = rng.permutation(len(self._members))
        full_batches = round(len(self._texts) / self._batch_size)
        num_batches = max(1, min(len(order) // 2, full_batches))
        parts = np.array_split(order, num_batches)
        self._batches = [np.concatenate([self._members[g] for g in part]) for part in parts]
        return num_batches

    def batch(self, number: int) -> GroupedTexts:
        """One batch of the current epoch."""
        return self._texts.take(self._batches[number])
