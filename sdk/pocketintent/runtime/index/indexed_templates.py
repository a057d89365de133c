"""The templates of a bot as rows: float vectors, or codes, and their similarity to a query.

``lab/docs/recognition_figures.md`` compares the cost of the alternatives.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray, IndexArray, row_lengths
from pocketintent.runtime.quantization.quantizer import CodeArray, Quantizer

MAX_DECODED = 1 << 23
"""Size up to which a template matrix is decoded once and multiplied: 8 Mi numbers, 32 MB."""


@dataclass(frozen=True, eq=False)
class IntentRows:
    """The rows of one intent: templates in which the encoder knows a word, then the centroid."""

    texts: tuple[str, ...]
    """The templates in which the encoder knows a word, at least one."""
    rows: NDArray[Any]
    """[len(texts) + 1, dim] float32 vectors, or [len(texts) + 1, num_sub] codes."""
    error: float = 0.0
    """Sum of the rows' quantisation errors."""


class IndexedTemplates:
    """All rows: the templates, sorted by intent, then the centroids; never changed.

    The similarity of a query to codes is a sum of one look-up for each code, in the table of
    similarities of the query's sub-vectors and the codebook, over the length of the decoded row
    (asymmetric distance; Jegou, Douze and Schmid 2011). It equals the dot product with the decoded
    row at unit length, which NumPy computes far faster where the decoded rows can be kept.

    Args:
        intents: The rows of each intent that has any, in the order of the template set.
        quantizer: The codebook of the rows, without norms; None for float vectors.
        max_error: Mean quantisation error above which the next edit fits a new codebook.
        max_decoded: Numbers of the decoded rows up to which they are kept; 0 to keep none.

    Attributes:
        names: Intents by position.
        texts: Templates by row.
        bounds: intp [num_intents + 1]: where each intent's templates begin; the last number is
            the number of templates.
        codes: The codes, [num_sub, num_rows]; None for float vectors and without templates.
        scales: float32 [num_rows], one over the length of each decoded row; 1 for zeros.
    """

    def __init__(
        self,
        intents: Mapping[str, IntentRows],
        quantizer: Quantizer | None,
        max_error: float,
        max_decoded: int = MAX_DECODED,
    ) -> None:
        self.intents, self.quantizer, self.max_error = dict(intents), quantizer, max_error
        self.names = tuple(intents)
        self.texts = tuple(text for intent in intents.values() for text in intent.texts)
        sizes = [len(intent.texts) for intent in intents.values()]
        self.bounds: IndexArray = np.cumsum([0, *sizes], dtype=np.intp)
        # A look-up is faster than two numbers of an array.
        self._spans = list(map(slice, self.bounds[:-1].tolist(), self.bounds[1:].tolist()))
        self.codes: CodeArray | None = None
        self.scales: FloatArray = np.ones(len(self.texts) + len(self.names), np.float32)
        self._rows: FloatArray | None = None
        if not intents:
            return
        groups = [intent.rows for intent in intents.values()]
        rows = np.concatenate(
            [*(group[:-1] for group in groups), *(group[-1:] for group in groups)]
        )
        if quantizer is None:
            self._rows = rows
            return
        self.codes = np.ascontiguousarray(rows.T)
        decoded = quantizer.decode_codes(rows)
        lengths = row_lengths(decoded)
        np.divide(1, lengths, out=self.scales, where=lengths > 0)
        if decoded.size <= max_decoded:
            self._rows = decoded * self.scales[:, None]

    def scores(self, query: FloatArray) -> FloatArray:
        """Cosine similarity of a query, float32 [dim] of unit length, to all rows, [num_rows]."""
        if self._rows is not None:
            scores: FloatArray = self._rows @ query
            return scores
        assert self.quantizer is not None and self.codes is not None
        sums = np.zeros(len(self.scales), np.float32)
        for similarities, codes in zip(
            self.quantizer.similarity_table(query), self.codes, strict=True
        ):
            # "wrap" skips the bounds check; no code is out of range.
            sums += similarities.take(codes, mode="wrap")
        sums *= self.scales
        return sums

    def score_block(self, queries: FloatArray) -> FloatArray:
        """:meth:`scores` of queries [num_queries, dim], up to rounding: [num_queries, num_rows]."""
        if self._rows is not None:
            scores: FloatArray = queries @ self._rows.T
            return scores
        assert self.quantizer is not None and self.codes is not None
        codebooks, sub_dim = self.quantizer.codebook, self.quantizer.sub_dim
        sums = np.zeros((len(self.scales), len(queries)), np.float32)
        for position, codes in enumerate(self.codes):
            start = position * sub_dim
            codebook = codebooks[position if self.quantizer.per_position else 0]
            table = codebook @ queries[:, start : start + sub_dim].T
            sums += table.take(codes, axis=0, mode="wrap")
        return np.ascontiguousarray((sums * self.scales[:, None]).T)

    def template_scores(self, intent: int, queries: FloatArray) -> tuple[int, FloatArray]:
        """The row of an intent's first template, and the cosine similarities of its templates.

        They are [num_templates] or [num_templates, num_queries], as the queries are float32 [dim]
        or [dim, num_queries], of unit length.
        """
        span = self._spans[intent]
        if self._rows is not None:
            return span.start, self._rows[span].dot(queries)
        assert self.quantizer is not None and self.codes is not None
        decoded = self.quantizer.decode_codes(np.ascontiguousarray(self.codes[:, span].T))
        decoded *= self.scales[span, None]
        return span.start, decoded @ queries
