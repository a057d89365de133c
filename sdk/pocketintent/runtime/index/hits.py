"""From the scores of all templates and intents to the best intents, for one query or a block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray, IndexArray

ROUNDING = 1e-5
"""Scores that differ by less may change places when the same dot products are summed in another
order; for unit vectors of 256 dimensions the difference is about 1e-7."""


class Hit(NamedTuple):
    """One intent and its nearest template."""

    intent: int
    """Position of the intent."""
    score: float
    """Its score, -1..1."""
    row: int
    """Position of the template among all templates, which are sorted by intent."""


@dataclass(frozen=True, eq=False)
class HitBlock:
    """The best intents of several queries, one row for each query, in descending order of score."""

    intents: IndexArray
    """intp [num_queries, limit]: positions of the intents."""
    scores: FloatArray
    """float32 [num_queries, limit]: their scores, -1..1."""
    rows: IndexArray
    """intp [num_queries, limit]: positions of their nearest templates."""

    @classmethod
    def empty(cls, num_queries: int, limit: int) -> HitBlock:
        """A block whose rows are still to be filled in."""
        shape = num_queries, limit
        return cls(np.empty(shape, np.intp), np.empty(shape, np.float32), np.empty(shape, np.intp))

    def replace(self, query: int, hits: list[Hit]) -> None:
        """Overwrite the hits of one query."""
        for place, hit in enumerate(hits):
            self.intents[query, place] = hit.intent
            self.scores[query, place] = hit.score
            self.rows[query, place] = hit.row


def best_hits(totals: FloatArray, scores: FloatArray, bounds: IndexArray, limit: int) -> list[Hit]:
    """The best intents of one query.

    Args:
        totals: float32 [num_intents], the score of each intent; overwritten.
        scores: float32 [num_rows], the similarities of templates, then centroids.
        bounds: intp [num_intents + 1]: where each intent's templates begin.
        limit: Maximum number of hits.

    Returns:
        Hits in descending order of score; of equal scores the first intent, and its first template.
        Scores beyond -1 and 1, by rounding, are brought there.
    """
    hits = []
    for _ in range(min(limit, len(totals))):
        intent = int(totals.argmax())
        start = int(bounds[intent])
        row = start + int(scores[start : bounds[intent + 1]].argmax())
        hits.append(Hit(intent, min(max(totals.item(intent), -1.0), 1.0), row))
        totals[intent] = -np.inf
    return hits


def best_hit_block(
    totals: FloatArray, scores: FloatArray, bounds: IndexArray, limit: int
) -> tuple[HitBlock, NDArray[np.bool_]]:
    """The best intents of several queries.

    Args:
        totals: float32 [num_queries, num_intents], the score of each intent; overwritten.
        scores: float32 [num_queries, num_rows], the similarities of templates, then centroids.
        bounds: intp [num_intents + 1]: where each intent's templates begin.
        limit: Maximum number of hits per query.

    Returns:
        The hits, and bool [num_queries]: whether two scores of the query are so near each other
        that another rounding could change its hits or their order.
    """
    num_queries, num_intents = totals.shape
    block = HitBlock.empty(num_queries, min(limit, num_intents))
    queries = np.arange(num_queries)
    close = np.zeros(num_queries, bool)
    for place in range(block.intents.shape[1]):
        intents = totals.argmax(axis=1)
        best = totals[queries, intents]
        totals[queries, intents] = -np.inf
        block.intents[:, place], block.scores[:, place] = intents, best.clip(-1, 1)
        block.rows[:, place], has_tie = _nearest_templates(scores, bounds, intents)
        close |= has_tie | (best - totals.max(axis=1) < ROUNDING)
    return block, close


def _nearest_templates(
    scores: FloatArray, bounds: IndexArray, intents: IndexArray
) -> tuple[IndexArray, NDArray[np.bool_]]:
    """The nearest template of one intent for each query, and whether another is as near."""
    starts, stops = bounds[intents][:, None], bounds[intents + 1][:, None]
    rows = starts + np.arange((stops - starts).max())
    inside = rows < stops
    np.minimum(rows, stops - 1, out=rows)
    templates = np.where(inside, np.take_along_axis(scores, rows, axis=1), -np.inf)
    nearest = templates.argmax(axis=1)
    best = templates.max(axis=1, keepdims=True)
    return starts[:, 0] + nearest, (templates > best - ROUNDING).sum(axis=1) > 1
