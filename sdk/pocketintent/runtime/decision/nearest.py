"""The decisions ``nearest`` and ``nearest+centroid``: the similarity to templates is the score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.decision.scoring import Hit, Scorer

Similarity = Literal["nearest", "nearest+centroid"]
"""Whether the similarity to an intent's nearest template is its score, or the mean of that and the
similarity to the centroid of its templates."""

SCORES_AT_ONCE = 1 << 20
"""Similarities that are computed at once for a block of texts, 4 MB; more would leave the cache."""


@dataclass(frozen=True, eq=False)
class NearestScorer(Scorer):
    """Scores an intent by its templates; scores beyond -1 and 1, by rounding, are brought there."""

    similarity: Similarity
    """Which similarities make the score."""

    def search(self, text: str, vector: FloatArray, limit: int) -> list[Hit]:
        """The best intents; see :meth:`Scorer.search`."""
        scores, bounds, hits = self.indexed.scores(vector), self.indexed.bounds, []
        totals = self._totals(scores)
        for _ in range(min(limit, len(totals))):
            intent = int(totals.argmax())
            start = int(bounds[intent])
            row = start + int(scores[start : bounds[intent + 1]].argmax())
            hits.append(Hit(intent, min(max(totals.item(intent), -1.0), 1.0), row))
            totals[intent] = -np.inf
        return hits

    def score_block(self, texts: Sequence[str], vectors: FloatArray) -> FloatArray:
        """The scores of all intents; see :meth:`Scorer.score_block`."""
        return self._totals(self.indexed.score_block(vectors))

    def totals(self, texts: Sequence[str], vectors: FloatArray) -> FloatArray:
        """The scores; see :meth:`Scorer.totals`."""
        step = max(1, SCORES_AT_ONCE // len(self.indexed.scales))
        starts = range(0, len(vectors) or 1, step)
        return np.concatenate([self.score_block((), vectors[i : i + step]) for i in starts])

    def scores_of(self, totals: FloatArray) -> FloatArray:
        """The totals themselves."""
        return totals.clip(-1, 1)

    def _totals(self, scores: FloatArray) -> FloatArray:
        """The scores of the intents, [..., num_intents], from those of all rows."""
        bounds = self.indexed.bounds
        num_templates = bounds[-1]
        totals: FloatArray = np.maximum.reduceat(scores[..., :num_templates], bounds[:-1], axis=-1)
        if self.similarity == "nearest+centroid":
            totals = (totals + scores[..., num_templates:]) * np.float32(0.5)
        return totals
