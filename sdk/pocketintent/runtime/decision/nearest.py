"""The decisions ``nearest`` and ``nearest+centroid``: the similarity to templates is the score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray, IndexArray
from pocketintent.runtime.decision.scoring import ROUNDING, Hit, best_of_block
from pocketintent.runtime.index.indexed_templates import IndexedTemplates

Similarity = Literal["nearest", "nearest+centroid"]
"""Whether the similarity to an intent's nearest template is its score, or the mean of that and the
similarity to the centroid of its templates."""

SCORES_AT_ONCE = 1 << 20
"""Similarities that are computed at once for a block of texts, 4 MB; more would leave the cache."""


@dataclass(frozen=True, eq=False)
class NearestScorer:
    """Scores an intent by its templates; see :class:`Scorer`."""

    indexed: IndexedTemplates
    """The templates."""
    similarity: Similarity
    """Which similarities make the score."""

    @property
    def text_features(self) -> Mapping[str, Mapping[str, Any]]:
        """None."""
        return {}

    def search(self, text: str, vector: FloatArray, limit: int) -> list[Hit]:
        """The best intents; see :meth:`Scorer.search`.

        Scores beyond -1 and 1, by rounding, are brought there.
        """
        scores, bounds, hits = self.indexed.scores(vector), self.indexed.bounds, []
        totals = self._totals(scores)
        for _ in range(min(limit, len(totals))):
            intent = int(totals.argmax())
            start = int(bounds[intent])
            row = start + int(scores[start : bounds[intent + 1]].argmax())
            hits.append(Hit(intent, min(max(totals.item(intent), -1.0), 1.0), row))
            totals[intent] = -np.inf
        return hits

    def search_block(
        self, texts: Sequence[str], vectors: FloatArray, limit: int
    ) -> list[list[Hit]]:
        """The best intents of several texts; see :meth:`Scorer.search_block`."""
        step = max(1, SCORES_AT_ONCE // len(self.indexed.scales))
        hits = list[list[Hit]]()
        for start in range(0, len(vectors), step):
            hits += self._search_part(vectors[start : start + step], limit)
        return hits

    def _search_part(self, vectors: FloatArray, limit: int) -> list[list[Hit]]:
        scores = self.indexed.score_block(vectors)

        def nearest(intents: IndexArray) -> tuple[IndexArray, NDArray[np.bool_]]:
            return _nearest_templates(scores, self.indexed.bounds, intents)

        def search(text: int) -> list[Hit]:
            return self.search("", vectors[text], limit)

        return best_of_block(
            self._totals(scores), limit, ROUNDING, lambda best: best.clip(-1, 1), nearest, search
        )

    def score_block(self, texts: Sequence[str], vectors: FloatArray) -> FloatArray:
        """The scores of all intents; see :meth:`Scorer.score_block`."""
        return self._totals(self.indexed.score_block(vectors))

    def _totals(self, scores: FloatArray) -> FloatArray:
        """The scores of the intents, [..., num_intents], from those of all rows."""
        bounds = self.indexed.bounds
        num_templates = bounds[-1]
        totals: FloatArray = np.maximum.reduceat(scores[..., :num_templates], bounds[:-1], axis=-1)
        if self.similarity == "nearest+centroid":
            totals = (totals + scores[..., num_templates:]) * np.float32(0.5)
        return totals


def _nearest_templates(
    scores: FloatArray, bounds: IndexArray, intents: IndexArray
) -> tuple[IndexArray, NDArray[np.bool_]]:
    """The nearest template of one intent for each text, and whether another is as near."""
    starts, stops = bounds[intents][:, None], bounds[intents + 1][:, None]
    rows = starts + np.arange((stops - starts).max())
    inside = rows < stops
    np.minimum(rows, stops - 1, out=rows)
    templates = np.where(inside, np.take_along_axis(scores, rows, axis=1), -np.inf)
    best = templates.max(axis=1, keepdims=True)
    nearest: IndexArray = starts[:, 0] + templates.argmax(axis=1)
    return nearest, (templates > best - ROUNDING).sum(axis=1) > 1
