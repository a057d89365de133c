"""Slots: the ids and weights that the exported graphs of a word table take instead of a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.text.ngrams import NgramSettings
from pocketintent.runtime.text.tokenizer import get_tokenizer
from pocketintent.runtime.text.vocabulary import Vocabulary

Slots = tuple[NDArray[np.int32], NDArray[np.float32]]
"""Ids and weights, int32 [num_slots] and float32 [num_slots]."""

_MAX_ROWS = 1 << 31


class TokenInputs:
    """The function from a text to the ids and weights of a static encoder.

    A word of the vocabulary becomes one slot: its id, with weight 1. Any other word becomes one
    slot for each of its character n-grams, in the order of :func:`ngram_buckets`: the id is the
    number of words plus the bucket, and the n-grams share their total weight equally. Without
    n-grams unknown words are skipped. The sentence vector is the weighted sum of the rows, at unit
    length.

    Args:
        vocabulary: The words.
        tokenizer_spec: The manifest's tokenizer entry.
        ngram_settings: How unknown words are hashed; None to skip unknown words.
        max_length: Maximum number of slots, the rest is cut off; None for no limit.

    Raises:
        ModelFileError: The tokenizer is unknown, or an id would not fit int32.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        tokenizer_spec: Mapping[str, Any],
        ngram_settings: NgramSettings | None,
        max_length: int | None = None,
    ) -> None:
        self.vocabulary = vocabulary
        self.tokenize = get_tokenizer(tokenizer_spec)
        self.max_length = max_length
        self.ngram_settings = ngram_settings
        if self._num_rows > _MAX_ROWS:
            raise ModelFileError(
                f"{self._num_rows} words and n-gram buckets are more than the ids of a graph, "
                f"{_MAX_ROWS}"
            )

    @property
    def _num_rows(self) -> int:
        """Number of words and n-gram buckets."""
        buckets = 0 if self.ngram_settings is None else self.ngram_settings.num_buckets
        return len(self.vocabulary) + buckets

    def __call__(self, text: str) -> Slots:
        """The slots of a text; empty if the encoder knows no part of it."""
        return self.slots(self.tokenize(text))

    def largest(self) -> Slots:
        """One slot with the largest id; none without words and n-grams."""
        rows = self._num_rows
        return np.array([rows - 1] * (rows > 0), np.int32), np.ones(int(rows > 0), np.float32)

    def slots(self, tokens: Sequence[str]) -> Slots:
        """The slots of tokens, at most ``max_length`` of them."""
        ids: list[int] = []
        weights: list[float] = []
        for token in tokens:
            if self.max_length is not None and len(ids) >= self.max_length:
                break
            word_id = self.vocabulary.get(token)
            if word_id is not None:
                ids.append(word_id)
                weights.append(1.0)
            elif self.ngram_settings is not None:
                buckets = self.ngram_settings.buckets(token)
                ids += [len(self.vocabulary) + bucket for bucket in buckets]
                weights += [self.ngram_settings.weight / len(buckets)] * len(buckets)
        limit = self.max_length
        return np.array(ids[:limit], np.int32), np.array(weights[:limit], np.float32)
