"""The contract of decisions: what a bot asks of whatever scores the intents of a text.

To add a decision, extend :class:`Scorer`, and add its name and class to
:mod:`pocketintent.runtime.decision.registry`. To make it exportable, write its torch module and add
it to the exporter's function that chooses one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray, IndexArray, Parts
from pocketintent.runtime.index.indexed_templates import IndexedTemplates

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
class Scorer(ABC):
    """Scores the intents of an index; never changed, so that threads can share it."""

    indexed: IndexedTemplates
    """The templates, of which the nearest is shown with its intent."""

    rounding: ClassVar[float] = ROUNDING
    """Totals that differ by less may change places by another rounding."""

    @property
    def text_features(self) -> Mapping[str, Mapping[str, Any]]:
        """Features of the text that it reads beside the sentence vector, each with its settings.

        Exported graphs name and describe them so; see :mod:`pocketintent.runtime.graphs.features`.
        """
        return {}

    def parts(self) -> Parts:
        """Settings and tensors that a bot file needs beside the index."""
        return {}, {}

    @abstractmethod
    def search(self, text: str, vector: FloatArray, limit: int) -> list[Hit]:
        """The best intents of a text, at most ``limit``, in descending order of score.

        ``vector`` is its sentence vector, float32 [dim], of unit length. Of equal scores the first
        intent comes first, with its first template.
        """

    @abstractmethod
    def score_block(self, texts: Sequence[str], vectors: FloatArray) -> FloatArray:
        """The scores of all intents, float32 [num_texts, num_intents]; see :meth:`search_block`."""

    @abstractmethod
    def totals(self, texts: Sequence[str], vectors: FloatArray) -> FloatArray:
        """What orders the intents as their scores do, a new float32 [num_texts, num_intents]."""

    @abstractmethod
    def scores_of(self, totals: FloatArray) -> FloatArray:
        """The scores of some totals, of the same shape."""

    def search_block(
        self, texts: Sequence[str], vectors: FloatArray, limit: int
    ) -> list[list[Hit]]:
        """The intents and templates that :meth:`search` finds for each of several texts.

        ``vectors`` are float32 [num_texts, dim]. The scores are equal up to rounding, which
        depends on the number of texts; where it could change a place, the text is searched alone.
        """
        totals, numbers = self.totals(texts, vectors), np.arange(len(texts))
        is_close, columns = np.zeros(len(texts), bool), []
        for _ in range(min(limit, totals.shape[1])):
            intents = totals.argmax(axis=1)
            best = totals[numbers, intents]
            totals[numbers, intents] = -np.inf
            rows, has_tie = self._nearest_templates(intents, vectors)
            is_close |= has_tie | (best - totals.max(axis=1) < self.rounding)
            columns.append(map(Hit, intents.tolist(), self.scores_of(best).tolist(), rows.tolist()))
        hits = list(map(list, zip(*columns, strict=True)))
        for text in np.flatnonzero(is_close).tolist():
            hits[text] = self.search(texts[text], vectors[text], limit)
        return hits

    def _nearest_templates(
        self, intents: IndexArray, vectors: FloatArray
    ) -> tuple[IndexArray, NDArray[np.bool_]]:
        """The nearest template of one intent for each text, and whether another is as near."""
        rows, has_tie = np.empty_like(intents), np.zeros(len(vectors), bool)
        for intent in np.unique(intents).tolist():
            members = np.flatnonzero(intents == intent)
            first, similarities = self.indexed.template_scores(intent, vectors[members].T)
            rows[members] = first + similarities.argmax(axis=0)
            has_tie[members] = (similarities > similarities.max(axis=0) - ROUNDING).sum(axis=0) > 1
        return rows, has_tie
