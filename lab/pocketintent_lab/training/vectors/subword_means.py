"""Vectors of words that a model stores in parts: a row for the word and rows for its n-grams."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from pocketintent.runtime.arrays import FloatArray, IndexArray
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.quantization.matrices import DenseMatrix
from pocketintent.runtime.text.ngrams import NgramSettings
from pocketintent.training.vectors.rows import VectorRows
from pocketintent.training.vectors.table import Subwords

_WORDS_AT_ONCE = 512
_ROWS_AT_ONCE = 1 << 14


class Rows(Protocol):
    """Rows of a table, read on demand."""

    def __len__(self) -> int:
        """Number of rows."""

    @property
    def dim(self) -> int:
        """Length of a row."""

    def rows(self, ids: IndexArray) -> FloatArray:
        """Some rows, float32 [num_ids, dim]."""


@dataclass(frozen=True, eq=False)
class NgramTable:
    """Vectors of hashed n-grams in a file of another program."""

    table: Rows
    """A row for each bucket or, in a pruned model, for each bucket that was kept."""
    settings: NgramSettings
    """How words are hashed."""
    pruned_rows: IndexArray | None = None
    """In a pruned model the row of each bucket, -1 without one, [num_buckets]; otherwise None."""

    def rows_of_words(self, words: Sequence[str]) -> tuple[IndexArray, IndexArray]:
        """The rows of words, word after word, and their number for each word."""
        buckets, counts = self.settings.buckets_of_words(words)
        if self.pruned_rows is None:
            return buckets, counts
        rows = self.pruned_rows[buckets]
        owners = np.repeat(np.arange(len(words)), counts)[rows >= 0]
        return rows[rows >= 0], np.bincount(owners, minlength=len(words))

    def to_subwords(self, path: Path, place: str) -> Subwords | None:
        """The table as a part of a model; None if it is pruned.

        The mean over a word's n-grams leaves out the pruned ones, which a model cannot express.

        Args:
            path: The file, for messages.
            place: Where the table begins in the file, for messages.

        Raises:
            PocketIntentError: A number is NaN or infinite.
        """
        if self.pruned_rows is not None:
            return None
        dense = self.table.vectors if isinstance(self.table, DenseMatrix) else None
        decoded = None if dense is not None else np.empty((len(self.table), self.table.dim), "f4")
        for start in range(0, len(self.table), _ROWS_AT_ONCE):
            ids = np.arange(start, min(start + _ROWS_AT_ONCE, len(self.table)))
            block = self.table.rows(ids)
            finite = np.isfinite(block).all(axis=1)
            if not finite.all():
                raise PocketIntentError(
                    f"{path}, {place}: row {start + int(np.argmin(finite)) + 1} of the n-grams "
                    "contains NaN or infinity"
                )
            if decoded is not None:
                decoded[ids] = block
        vectors = decoded if dense is None else dense
        assert vectors is not None
        return Subwords(vectors, self.settings)


def read_words(
    path: Path,
    words: Sequence[bytes],
    places: Sequence[str],
    own: Rows,
    ngrams: NgramTable | None,
    *,
    prefers_ngrams: bool = False,
) -> tuple[list[str], FloatArray]:
    """Compute the vectors of words: the mean of a word's row and of its n-grams' rows.

    Args:
        path: The file, for messages.
        words: The words in UTF-8.
        places: The place of each word in the file, for messages.
        own: A row for each word.
        ngrams: The n-grams; None in a model without.
        prefers_ngrams: Whether only words without n-grams use their row, as in floret.

    Returns:
        The words, and their vectors float32 [num_words, dim].

    Raises:
        PocketIntentError: There are no words, or a word or its vector is bad; see
            :meth:`VectorRows.add`.
    """
    rows = VectorRows(path, own.dim)
    for start in range(0, len(words), _WORDS_AT_ONCE):
        block = words[start : start + _WORDS_AT_ONCE]
        total: FloatArray = np.zeros((len(block), rows.dim), np.float32)
        shares: IndexArray = np.zeros(len(block), np.intp)
        if ngrams is not None:
            # Words that are not UTF-8 are reported below, when they are added.
            texts = [word.decode(errors="replace") for word in block]
            ids, shares = ngrams.rows_of_words(texts)
            distinct, order = np.unique(ids, return_inverse=True)
            total = DenseMatrix(ngrams.table.rows(distinct)).weighted_sums(order, shares)
        users = np.flatnonzero(shares == 0) if prefers_ngrams else np.arange(len(block))
        total[users] += own.rows(start + users)
        shares[users] += 1
        total /= shares.astype(np.float32)[:, None]
        for word, vector, place in zip(block, total, places[start:], strict=False):
            rows.add(word, vector, place)
    return rows.finish()
