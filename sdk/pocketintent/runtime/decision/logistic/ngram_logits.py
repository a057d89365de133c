"""What the n-grams of a text add to the logits of the intents, kept word by word."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.text.ngram_counts import count_ngrams_of_tokens, slots_of_token

MOST_TOKENS = 32
"""Tokens of a text up to which their rows are added. A new row costs a sum, so a longer text, which
may have a thousand new words, takes one product of its counts instead."""
_MAX_BYTES = 4 << 20
_OVERHEAD = 256
"""Bytes of a row beside its numbers, about: the array, the token, and their place in the dict."""
_MAX_CACHED = 32
"""Characters of the longest token whose row is kept."""


class NgramLogits(dict[str, FloatArray]):
    """The logits that n-grams add, by text.

    A token always has the same n-grams, so the sum of their weights for each intent is a row, which
    is computed once as long as it is kept: 4 MB of them at most. Threads may share the rows. Copies
    and pickles have none.

    Args:
        of_counts: float32 [num_intents, NUM_BUCKETS], the weights of the counts, which contain
            the weights of the buckets.
        squares: float32 [NUM_BUCKETS], the squared weights of the buckets.
    """

    def __init__(self, of_counts: FloatArray, squares: FloatArray) -> None:
        super().__init__()
        self._of_counts = of_counts
        self._of_slots = np.ascontiguousarray(np.concatenate([of_counts, -of_counts], axis=1).T)
        self._squares = squares
        self._capacity = _MAX_BYTES // (4 * len(of_counts) + _OVERHEAD)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._of_counts, self._squares)

    def __missing__(self, token: str) -> FloatArray:
        row: FloatArray
        if len(token) > _MAX_CACHED:
            row = self._of_counts.dot(count_ngrams_of_tokens([token]))
            return row
        row = np.add.reduce(self._of_slots.take(slots_of_token(token), axis=0), axis=0)
        if len(self) >= self._capacity:
            self.clear()
        self[token] = row
        return row

    def of_tokens(self, tokens: Sequence[str]) -> FloatArray:
        """The logits that the n-grams of a text add, float32 [num_intents].

        They are the product of its counts with their weights, over the length of its weighted
        counts; zeros if that is 0. They do not depend on the rows that are kept.

        Args:
            tokens: The tokens of the text.
        """
        if not 0 < len(tokens) <= MOST_TOKENS:
            return self.plain(tokens)
        total = self[tokens[0]].copy()
        for token in tokens[1:]:
            total += self[token]
        total *= self._factor(count_ngrams_of_tokens(tokens))
        return total

    def plain(self, tokens: Sequence[str]) -> FloatArray:
        """The same by one product, for texts of any length; equal up to rounding."""
        counts = count_ngrams_of_tokens(tokens)
        logits: FloatArray = self._of_counts.dot(counts * np.float32(self._factor(counts)))
        return logits

    def _factor(self, counts: FloatArray) -> float:
        """1 over the length of the weighted counts, or 0 if they are all 0."""
        length = math.sqrt((counts * counts).dot(self._squares))
        return 1 / length if length > 0 else 0.0
