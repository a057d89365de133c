"""Attention over a table of word vectors: moves a predicted vector towards similar words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from pocketintent.runtime.arrays import MAX_NUMBERS, FloatArray, row_lengths, unit_rows
from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.quantization.matrices import Matrix

_MAX_SCORE_GAP = np.float32(17)
"""Words are skipped if their weight is below exp(-17), 4e-8, of the nearest word's weight: of a
model of 10,000 words they had 2e-6 of the answer. The exported graphs sum up all words."""

_MAX_SINGLE_QUERIES = 8  # up to this number, BLAS is faster with one product for each query
_QUERIES_AT_ONCE = 1024  # whose scores are in memory at once

MIN_TEMPERATURE = 1e-6
"""Smallest temperature; float32 cannot divide by much smaller ones."""

_FRACTIONS = ("share", "temperature", "weight")
"""Settings above 0 and at most 1."""


@dataclass(frozen=True)
class Attention:
    """Settings of the attention, as stored in a model file."""

    share: float = 0.6
    """Share of the table's answer in the result; the rest is the query's."""
    temperature: float = 0.02
    """Divisor of the cosines before the softmax: the smaller it is, the fewer words answer."""
    weight: float = 0.85
    """Factor on the query's length: how much an unknown word counts relative to known words."""
    words: int | None = None
    """Number of words that answer, from the start of the table, where the most frequent words are;
    None for all words. The time for an unknown word grows with this number."""

    def __post_init__(self) -> None:
        if self.words is not None and (type(self.words) is not int or self.words < 1):
            raise ModelFileError(f"attention: words must be 1 or more, not {self.words!r}")
        for name in _FRACTIONS:
            value = getattr(self, name)
            if type(value) not in (int, float) or not 0 < value <= 1:
                allowed = "above 0 and at most 1"
                raise ModelFileError(f"attention: {name} must be {allowed}, not {value!r}")
        if self.temperature < MIN_TEMPERATURE:
            allowed = f"at least {MIN_TEMPERATURE:g}"
            raise ModelFileError(
                f"attention: temperature must be {allowed}, not {self.temperature!r}"
            )

    @classmethod
    def from_manifest(cls, entry: object) -> Attention:
        """The settings in the manifest's entry ``attention``, checked."""
        if not isinstance(entry, Mapping) or entry.keys() - {"words"} != set(_FRACTIONS):
            raise ModelFileError(f"the manifest's attention must have {', '.join(_FRACTIONS)}")
        return cls(**entry)

    def to_manifest(self) -> dict[str, Any]:
        """The settings as the manifest's entry ``attention``."""
        return {name: value for name, value in asdict(self).items() if value is not None}


DEFAULT_ATTENTION = Attention(words=10_000)
"""Default settings, chosen on the ``valid`` splits; see docs/charemb_figures.md."""


def answering_rows(table: Matrix, settings: Attention) -> Matrix:
    """The rows of the words that answer: the first ``settings.words`` rows of a table."""
    return table if settings.words is None else table.select(slice(settings.words))


class TableAttention:
    """Scaled dot-product attention (Vaswani et al. 2017) with one table as keys and values.

    The keys are the directions of the table's rows, and the values are the rows, so that the query
    of a misspelt word turns towards the correct word. The length of the result is the query's,
    times ``weight``. The table is decoded at the first query; one without rows, or with more than
    memory is meant for, is a ModelFileError.
    """

    def __init__(self, table: Matrix, settings: Attention) -> None:
        self.settings = settings
        self._table = answering_rows(table, settings)
        if not 1 <= len(self._table) * self._table.dim <= MAX_NUMBERS:
            raise ModelFileError(
                f"attention: the table has {len(self._table)} words of {self._table.dim} "
                f"dimensions; it needs at least one word, and at most {MAX_NUMBERS} numbers are "
                "decoded: limit the words that answer (combine --attention-words)"
            )
        self._rows: FloatArray | None = None
        self._scales: FloatArray | None = None

    def __call__(self, queries: FloatArray) -> FloatArray:
        """The answers to queries, float32 [num_queries, dim]; zeros for a query of zeros.

        An answer has the direction of ``share`` times the table's and ``1 - share`` times the
        query; it is zeros if these cancel out.
        """
        results = np.empty_like(queries)
        for start in range(0, len(queries), _QUERIES_AT_ONCE):
            block = slice(start, start + _QUERIES_AT_ONCE)
            results[block] = self._answer(queries[block])
        return results

    def _answer(self, queries: FloatArray) -> FloatArray:
        """Apply the attention to queries whose scores fit into memory."""
        rows, scales = self._decode()
        share = np.float32(self.settings.share)
        units = unit_rows(queries)
        if len(units) <= _MAX_SINGLE_QUERIES:
            scores = np.stack([rows @ unit for unit in units])
        else:
            scores = units @ rows.T
        scores *= scales / np.float32(self.settings.temperature)
        scores -= scores.max(axis=1, keepdims=True)
        results = np.float32(1 - self.settings.share) * queries
        lengths = row_lengths(queries)
        many = []  # queries that many words answer: their answers are one product
        for index in np.flatnonzero(queries.any(axis=1)).tolist():
            near = np.flatnonzero(scores[index] > -_MAX_SCORE_GAP)
            # Reading all rows in place is faster than gathering many of them.
            if len(near) > len(rows) // 8:
                many.append(index)
            else:
                weights = np.exp(scores[index, near])
                weights *= share / weights.sum()
                results[index] += weights @ rows[near]
        step = 1 if len(many) <= _MAX_SINGLE_QUERIES else len(many)
        for start in range(0, len(many), step):
            block = many[start : start + step]
            weights = np.exp(scores[block])
            weights *= share / weights.sum(axis=1, keepdims=True)
            results[block] += weights @ rows
        vectors = unit_rows(results)
        vectors *= (np.float32(self.settings.weight) * lengths)[:, None]
        return vectors

    def _decode(self) -> tuple[FloatArray, FloatArray]:
        """The table's rows, and the factors that bring them to unit length; 0 for zeros."""
        if self._rows is None or self._scales is None:
            rows = self._table.decode()
            norms = row_lengths(rows)
            self._scales = np.divide(1, norms, out=np.zeros_like(norms), where=norms > 0)
            self._rows = rows
        return self._rows, self._scales
