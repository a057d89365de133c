"""Slots: the ids and weights that the exported graphs of a word table take instead of a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.text.ngrams import NgramSettings
from pocketintent.runtime.text.tokenizer import get_tokenizer
from pocketintent.runtime.text.vocabulary import Vocabulary


class Slots(NamedTuple):
    """The slots of a text."""

    ids: NDArray[np.int32]
    """Row numbers, [num_slots]."""
    weights: NDArray[np.float32]
    """Factors on the rows, [num_slots]."""
    token_numbers: NDArray[np.int32] | None = None
    """The number of each slot's token among the tokens that have slots, from 0, [num_slots]; None
    for a model that ignores the order of the tokens."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The inputs of a graph by name, without those that are None."""
        return {name: array for name, array in self._asdict().items() if array is not None}


_MAX_ROWS = 1 << 31


class TokenInputs:
    """The function from a text to the slots of its words and n-grams.

    A word of the vocabulary becomes one slot: its id, with weight 1. Any other word becomes one
    slot for each of its character n-grams, in the order of :func:`ngram_buckets`: the id is the
    number of words plus the bucket, and the n-grams share their total weight equally.

    Args:
        vocabulary: The words.
        tokenizer_spec: The manifest's tokenizer entry.
        ngram_settings: How unknown words are hashed; None to skip unknown words.
        max_length: Maximum number of slots, the rest is cut off; None for no limit.
        max_tokens: Maximum number of tokens with slots, which are numbered; None for no limit and
            no numbers.

    Raises:
        ModelFileError: The tokenizer is unknown, or an id would not fit int32.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        tokenizer_spec: Mapping[str, Any],
        ngram_settings: NgramSettings | None,
        max_length: int | None = None,
        max_tokens: int | None = None,
    ) -> None:
        self.vocabulary = vocabulary
        self.tokenize = get_tokenizer(tokenizer_spec)
        self.max_length = max_length
        self.max_tokens = max_tokens
        self.ngram_settings = ngram_settings
        self._num_rows = len(vocabulary) + (ngram_settings.num_buckets if ngram_settings else 0)
        if self._num_rows > _MAX_ROWS:
            raise ModelFileError(
                f"{self._num_rows} words and n-gram buckets are more than the ids of a graph, "
                f"{_MAX_ROWS}"
            )

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the inputs of a graph that the slots become."""
        return tuple(self.largest().arrays())

    def __call__(self, text: str) -> Slots:
        """The slots of a text; empty if the encoder knows no part of it."""
        return self.slots(self.tokenize(text))

    def largest(self) -> Slots:
        """One slot with the largest id; none without words and n-grams."""
        rows = self._num_rows
        return self._slots([rows - 1] * (rows > 0), [1.0] * (rows > 0), [1] * (rows > 0))

    def slots(self, tokens: Sequence[str]) -> Slots:
        """The slots of tokens, at most ``max_length`` of them and of ``max_tokens`` tokens."""
        ids: list[int] = []
        weights: list[float] = []
        counts: list[int] = []  # of the slots of each token
        for token in tokens:
            is_full = self.max_length is not None and len(ids) >= self.max_length
            if is_full or len(counts) == self.max_tokens:
                break
            word_id = self.vocabulary.get(token)
            if word_id is not None:
                ids.append(word_id)
                weights.append(1.0)
                counts.append(1)
            elif self.ngram_settings and (buckets := self.ngram_settings.buckets(token)):
                ids += [len(self.vocabulary) + bucket for bucket in buckets]
                weights += [self.ngram_settings.weight / len(buckets)] * len(buckets)
                counts.append(len(buckets))
        return self._slots(ids, weights, counts)

    def _slots(self, ids: list[int], weights: list[float], counts: list[int]) -> Slots:
        """The slots within ``max_length``, as arrays."""
        limit = self.max_length
        numbers = None
        if self.max_tokens is not None:
            numbers = np.repeat(np.arange(len(counts), dtype=np.int32), counts)[:limit]
        return Slots(
            np.array(ids[:limit], np.int32), np.array(weights[:limit], np.float32), numbers
        )
