"""Attention over a table of word vectors: what a vector that is not in the table comes near."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from pocketintent.runtime.arrays import FloatArray, unit_rows
from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.quantization.matrices import Matrix

_NOTHING = np.float32(17)
"""Words whose weight is below exp(-17), 4e-8, of the nearest one's are passed over: ten thousand
of them would have 4e-4 of the answer if all stood just below, and have 2e-6 in the shipped
model, whose exported graphs add up all words."""

_FEW = 8
"""Up to so many queries BLAS is faster with one after the other."""


_SHARES = ("share", "temperature", "weight")


@dataclass(frozen=True)
class Attention:
    """Settings of the attention, as a model file keeps them."""

    share: float = 0.6
    """Share of what the table answers in the vector that comes out; the rest is the query."""
    temperature: float = 0.02
    """Cosines are divided by it before the softmax: the smaller, the fewer words answer."""
    weight: float = 0.85
    """Factor on the query's length: what an unknown word counts beside known ones."""
    words: int | None = None
    """Only so many words of the table answer, the first and so the most frequent; None for all.
    An unknown word's time grows with them."""

    def __post_init__(self) -> None:
        if self.words is not None and (type(self.words) is not int or self.words < 1):
            raise ModelFileError(f"attention: words must be 1 or more, not {self.words!r}")
        for name in _SHARES:
            value = getattr(self, name)
            if type(value) not in (int, float) or not 0 < value <= 1:
                raise ModelFileError(
                    f"attention: {name} must be above 0 and at most 1, not {value!r}"
                )

    @classmethod
    def from_manifest(cls, entry: object) -> Attention:
        """The settings that a manifest's ``attention`` has.

        Raises:
            ModelFileError: A setting is missing, unknown, or makes no sense.
        """
        if not isinstance(entry, Mapping) or entry.keys() - {"words"} != set(_SHARES):
            raise ModelFileError(f"the manifest's attention must have {', '.join(_SHARES)}")
        return cls(**entry)

    def to_manifest(self) -> dict[str, Any]:
        """The settings, as the manifest's ``attention`` has them."""
        return {name: value for name, value in asdict(self).items() if value is not None}


DEFAULT_ATTENTION = Attention(words=10_000)
"""Chosen on the ``valid`` splits, see docs/charemb_figures.md."""


def answering(table: Matrix, settings: Attention) -> Matrix:
    """The rows of a table that answer."""
    return table if settings.words is None else table.select(slice(settings.words))


class TableAttention:
    """Scaled dot-product attention (Vaswani et al. 2017) with one table as keys and values.

    The directions of the table's rows are the keys and the rows are the values; a query's
    direction is compared with every key. A misspelt word, whose query is near to the right
    word alone, turns to that word. The length stays what the query's is, times ``weight``.

    Args:
        table: The word vectors; decoded at the first query, 4 bytes a number.
        settings: See :class:`Attention`.
    """

    def __init__(self, table: Matrix, settings: Attention) -> None:
        self.settings = settings
        self._table = answering(table, settings)
        self._rows: FloatArray | None = None
        self._scales: FloatArray | None = None

    def __call__(self, queries: FloatArray) -> FloatArray:
        """What the queries become.

        Args:
            queries: float32 [num_queries, dim]; a query of zeros stays zeros.

        Returns:
            float32 [num_queries, dim]: the direction of ``share`` times the table's answer plus
            the rest of the query; zeros too where these cancel out.
        """
        rows, scales = self._decoded()
        share, temperature = self.settings.share, self.settings.temperature
        units = unit_rows(queries)
        if 0 < len(units) <= _FEW:
            scores = np.stack([rows @ unit for unit in units])
        else:
            scores = units @ rows.T
        scores *= scales / np.float32(temperature)
        scores -= scores.max(axis=1, keepdims=True)
        results = np.float32(1 - share) * queries
        lengths = np.sqrt(np.einsum("nd,nd->n", queries, queries))
        for result, query, row in zip(results, queries, scores, strict=True):
            if query.any():
                near = np.flatnonzero(row > -_NOTHING)
                # Many rows are read faster in place than picked.
                chosen = slice(None) if len(near) > len(rows) // 8 else near
                weights = np.exp(row[chosen])
                weights *= np.float32(share) / weights.sum()
                result += weights @ rows[chosen]
        turned = unit_rows(results)
        turned *= (np.float32(self.settings.weight) * lengths)[:, None]
        return turned

    def _decoded(self) -> tuple[FloatArray, FloatArray]:
        """The table's rows, and what brings each to unit length; 0 for a row of zeros."""
        if self._rows is None or self._scales is None:
            rows = self._table.decode()
            norms = np.sqrt(np.einsum("nd,nd->n", rows, rows))
            self._scales = np.divide(1, norms, out=np.zeros_like(norms), where=norms > 0)
            self._rows = rows
        return self._rows, self._scales
