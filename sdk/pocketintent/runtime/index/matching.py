"""1-NN over templates: as float vectors, or as codes.

An index holds the templates of all intents, sorted by intent, and the centroid of each intent
as one more row. The score of an intent is the cosine similarity of the query to its nearest
template, or the mean of that and the similarity to its centroid. ``docs/recognition_figures.md``
compares the cost of the alternatives.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray, IndexArray, row_lengths
from pocketintent.runtime.index.hits import Hit, HitBlock, best_hit_block, best_hits
from pocketintent.runtime.quantization.packing import CodeArray
from pocketintent.runtime.quantization.quantizer import Quantizer

Similarity = Literal["nearest", "nearest+centroid"]
"""How the similarities of a query to an intent's templates and centroid make a score."""

MAX_DECODED = 1 << 23
"""Size up to which a template matrix is decoded once and multiplied: 8 Mi numbers, 32 MB."""
SCORES_AT_ONCE = 1 << 20
"""Scores that are computed at once for a block of queries, 4 MB; more would leave the cache."""


class Index(Protocol):
    """The interface of an index."""

    def scores(self, query: FloatArray) -> FloatArray:
        """Cosine similarity of a query to all rows.

        Args:
            query: float32 [dim], of unit length.

        Returns:
            float32 [num_templates + num_intents]: templates, then centroids.
        """
        ...

    def search(self, query: FloatArray, similarity: Similarity, limit: int) -> list[Hit]:
        """The best intents.

        Args:
            query: float32 [dim], of unit length.
            similarity: ``"nearest"``: the similarity to the nearest template;
                ``"nearest+centroid"``: its mean with the similarity to the intent's centroid.
            limit: Maximum number of hits.

        Returns:
            Hits in descending order of score; of equal scores the first intent, and its first
            template.
        """
        ...

    def search_block(self, queries: FloatArray, similarity: Similarity, limit: int) -> HitBlock:
        """The best intents of several queries.

        Args:
            queries: float32 [num_queries, dim], of unit length.
            similarity: See :meth:`search`.
            limit: Maximum number of hits per query.

        Returns:
            The intents and templates that :meth:`search` finds for each query, in its order;
            the scores are equal up to rounding, which depends on the number of queries.
        """
        ...

    def intent_scores(self, queries: FloatArray, similarity: Similarity) -> FloatArray:
        """The scores of all intents, float32 [num_queries, num_intents]; see :meth:`search`."""
        ...

    def template_scores(self, intent: int, queries: FloatArray) -> tuple[int, FloatArray]:
        """Cosine similarity of one or several queries to the templates of an intent.

        Args:
            intent: Position of the intent.
            queries: float32 [dim] or [dim, num_queries], of unit length.

        Returns:
            The row of the intent's first template, and float32 [num_templates] or
            [num_templates, num_queries].
        """
        ...


class ExactIndex:
    """Templates as float vectors; the search is one matrix product.

    Args:
        groups: For each intent float32 [num_templates + 1, dim]: its templates and, last, its
            centroid, as :func:`add_centroid` makes them.
    """

    def __init__(self, groups: Sequence[FloatArray]) -> None:
        self._bounds = _bounds(groups)
        self._spans = _spans(self._bounds)
        self._rows = _templates_first(groups)

    def scores(self, query: FloatArray) -> FloatArray:
        """Cosine similarity of a query to all rows; see :meth:`Index.scores`."""
        scores: FloatArray = self._rows @ query
        return scores

    def search(self, query: FloatArray, similarity: Similarity, limit: int) -> list[Hit]:
        """The best intents; see :meth:`Index.search`."""
        return _search(self._rows @ query, self._bounds, similarity, limit)

    def search_block(self, queries: FloatArray, similarity: Similarity, limit: int) -> HitBlock:
        """The best intents of several queries; see :meth:`Index.search_block`."""
        return _search_block(self, queries, self._bounds, similarity, limit)

    def score_block(self, queries: FloatArray) -> FloatArray:
        """:meth:`scores` of several queries, float32 [num_queries, num_rows]."""
        scores: FloatArray = queries @ self._rows.T
        return scores

    def intent_scores(self, queries: FloatArray, similarity: Similarity) -> FloatArray:
        """The scores of all intents; see :meth:`Index.intent_scores`."""
        return _totals(self.score_block(queries), self._bounds, similarity)

    def template_scores(self, intent: int, queries: FloatArray) -> tuple[int, FloatArray]:
        """The similarities to one intent; see :meth:`Index.template_scores`."""
        rows = self._spans[intent]
        return rows.start, self._rows[rows].dot(queries)


class TableIndex:
    """Templates as codes of a product quantiser.

    The similarity of a query to a template is a sum of one look-up for each code, in the table
    of similarities of the query's sub-vectors and the centroids, over the length of the decoded
    template (asymmetric distance; Jegou, Douze and Schmid 2011). It equals the dot product with
    the decoded template at unit length. NumPy needs a nanosecond for a look-up and far less for
    a multiplication, so the search multiplies decoded rows if they are small enough to keep.

    Args:
        groups: For each intent its codes, uint8 or uint16 [num_templates + 1, num_sub]: its
            templates and, last, its centroid.
        quantizer: The quantiser of the codes, without norms.
        max_decoded: Numbers of the decoded rows up to which they are kept and multiplied;
            beyond it, and always with 0, each query is a sum of look-ups.

    Attributes:
        bounds: intp [num_intents + 1]: where each intent's templates begin; the last number is
            the number of templates.
        codes: The codes, [num_sub, num_rows]: all templates, sorted by intent, then centroids.
        scales: float32 [num_rows], one over the length of each decoded row; 1 for zeros.
    """

    def __init__(
        self, groups: Sequence[CodeArray], quantizer: Quantizer, max_decoded: int = MAX_DECODED
    ) -> None:
        codes = _templates_first(groups)
        self.quantizer = quantizer
        self.bounds = _bounds(groups)
        self._spans = _spans(self.bounds)
        self.codes = np.ascontiguousarray(codes.T)
        decoded = quantizer.decode_codes(codes)
        lengths = row_lengths(decoded)
        self.scales: FloatArray = np.ones_like(lengths)
        np.divide(1, lengths, out=self.scales, where=lengths > 0)
        self._rows: FloatArray | None = None
        if decoded.size <= max_decoded:
            self._rows = decoded * self.scales[:, None]

    def scores(self, query: FloatArray) -> FloatArray:
        """Cosine similarity of a query to all decoded rows, by look-ups in one table.

        Args:
            query: float32 [dim], of unit length.

        Returns:
            float32 [num_templates + num_intents]: templates, then centroids.
        """
        table = self.quantizer.similarity_table(query)
        sums = np.zeros(len(self.scales), np.float32)
        for similarities, codes in zip(table, self.codes, strict=True):
            # "wrap" skips the bounds check; no code is out of range.
            sums += similarities.take(codes, mode="wrap")
        sums *= self.scales
        return sums

    def search(self, query: FloatArray, similarity: Similarity, limit: int) -> list[Hit]:
        """The best intents; see :meth:`Index.search`."""
        scores: FloatArray = self.scores(query) if self._rows is None else self._rows @ query
        return _search(scores, self.bounds, similarity, limit)

    def search_block(self, queries: FloatArray, similarity: Similarity, limit: int) -> HitBlock:
        """The best intents of several queries; see :meth:`Index.search_block`."""
        return _search_block(self, queries, self.bounds, similarity, limit)

    def score_block(self, queries: FloatArray) -> FloatArray:
        """:meth:`scores` of several queries, by a product with the decoded rows if they are kept.

        Args:
            queries: float32 [num_queries, dim], of unit length.

        Returns:
            float32 [num_queries, num_templates + num_intents].
        """
        if self._rows is not None:
            scores: FloatArray = queries @ self._rows.T
            return scores
        codebooks, sub_dim = self.quantizer.codebook, self.quantizer.sub_dim
        sums = np.zeros((len(self.scales), len(queries)), np.float32)
        for position, codes in enumerate(self.codes):
            start = position * sub_dim
            codebook = codebooks[position if self.quantizer.per_position else 0]
            table = codebook @ queries[:, start : start + sub_dim].T
            sums += table.take(codes, axis=0, mode="wrap")
        return np.ascontiguousarray((sums * self.scales[:, None]).T)

    def intent_scores(self, queries: FloatArray, similarity: Similarity) -> FloatArray:
        """The scores of all intents; see :meth:`Index.intent_scores`."""
        return _totals(self.score_block(queries), self.bounds, similarity)

    def template_scores(self, intent: int, queries: FloatArray) -> tuple[int, FloatArray]:
        """The similarities to one intent; see :meth:`Index.template_scores`."""
        rows = self._spans[intent]
        if self._rows is not None:
            return rows.start, self._rows[rows].dot(queries)
        decoded = self.quantizer.decode_codes(np.ascontiguousarray(self.codes[:, rows].T))
        decoded *= self.scales[rows, None]
        return rows.start, decoded @ queries


def _search(
    scores: FloatArray, bounds: IndexArray, similarity: Similarity, limit: int
) -> list[Hit]:
    return best_hits(_totals(scores, bounds, similarity), scores, bounds, limit)


def _search_block(
    index: ExactIndex | TableIndex,
    queries: FloatArray,
    bounds: IndexArray,
    similarity: Similarity,
    limit: int,
) -> HitBlock:
    block = HitBlock.empty(len(queries), min(limit, len(bounds) - 1))
    step = max(1, SCORES_AT_ONCE // int(bounds[-1] + len(bounds) - 1))
    for start in range(0, len(queries), step):
        part = queries[start : start + step]
        scores = index.score_block(part)
        totals = _totals(scores, bounds, similarity)
        hits, is_close = best_hit_block(totals, scores, bounds, limit)
        for query in np.flatnonzero(is_close).tolist():
            hits.replace(query, index.search(part[query], similarity, limit))
        rows = slice(start, start + len(part))
        block.intents[rows], block.scores[rows] = hits.intents, hits.scores
        block.rows[rows] = hits.rows
    return block


def _totals(scores: FloatArray, bounds: IndexArray, similarity: Similarity) -> FloatArray:
    """The scores of the intents, [..., num_intents], from those of all rows."""
    num_templates = bounds[-1]
    totals: FloatArray = np.maximum.reduceat(scores[..., :num_templates], bounds[:-1], axis=-1)
    if similarity == "nearest+centroid":
        totals = (totals + scores[..., num_templates:]) * np.float32(0.5)
    return totals


def _bounds(groups: Sequence[NDArray[Any]]) -> IndexArray:
    return np.cumsum([0, *(len(group) - 1 for group in groups)], dtype=np.intp)


def _spans(bounds: IndexArray) -> list[slice]:
    """The rows of each intent's templates; a look-up is faster than two numbers of an array."""
    return list(map(slice, bounds[:-1].tolist(), bounds[1:].tolist()))


def _templates_first(groups: Sequence[NDArray[Any]]) -> NDArray[Any]:
    return np.concatenate([*(group[:-1] for group in groups), *(group[-1:] for group in groups)])
