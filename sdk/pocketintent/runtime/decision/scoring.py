"""The contract of decisions: what a bot asks of whatever scores the intents of a text.

To add a decision, write a class with the methods of :class:`Scorer` and add it to the three
functions of :mod:`pocketintent.runtime.decision.registry`. To make it exportable, write its torch
module and add a line to the exporter's registry of decisions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

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


class Scorer(Protocol):
    """Scores the intents of an index; never changed, so that threads can share it."""

    @property
    def text_features(self) -> Mapping[str, Mapping[str, Any]]:
        """Features of the text that it reads beside the sentence vector, each with its settings.

        Exported graphs name and describe them so; see :mod:`pocketintent.runtime.graphs.features`.
        """
        ...

    def search(self, text: str, vector: FloatArray, limit: int) -> list[Hit]:
        """The best intents of a text, at most ``limit``, in descending order of score.

        ``vector`` is its sentence vector, float32 [dim], of unit length. Of equal scores the first
        intent comes first, with its first template.
        """
        ...

    def search_block(
        self, texts: Sequence[str], vectors: FloatArray, limit: int
    ) -> list[list[Hit]]:
        """The intents and templates that :meth:`search` finds for each of several texts.

        ``vectors`` are float32 [num_texts, dim]. The scores are equal up to rounding, which
        depends on the number of texts.
        """
        ...

    def score_block(self, texts: Sequence[str], vectors: FloatArray) -> FloatArray:
        """The scores of all intents, float32 [num_texts, num_intents]; see :meth:`search_block`."""
        ...


def best_of_block(
    totals: FloatArray,
    limit: int,
    rounding: float,
    scores_of: Callable[[FloatArray], FloatArray],
    nearest_templates: Callable[[IndexArray], tuple[IndexArray, NDArray[np.bool_]]],
    search: Callable[[int], list[Hit]],
) -> list[list[Hit]]:
    """The best intents of several texts; those of a close text by its single search.

    Args:
        totals: float32 [num_texts, num_intents], by which the intents are ordered; overwritten.
        limit: Maximum number of hits for each text.
        rounding: Totals that differ by less may change places by another rounding.
        scores_of: From totals to scores, float32 [num_texts].
        nearest_templates: From an intent for each text, intp [num_texts], to the rows of their
            nearest templates, and to whether another template is as near.
        search: From the position of a text to its hits.
    """
    texts = np.arange(len(totals))
    is_close = np.zeros(len(totals), bool)
    columns = []
    for _ in range(min(limit, totals.shape[1])):
        intents = totals.argmax(axis=1)
        best = totals[texts, intents]
        totals[texts, intents] = -np.inf
        rows, has_tie = nearest_templates(intents)
        is_close |= has_tie | (best - totals.max(axis=1) < rounding)
        columns.append(map(Hit, intents.tolist(), scores_of(best).tolist(), rows.tolist()))
    hits = list(map(list, zip(*columns, strict=True)))
    for text in np.flatnonzero(is_close).tolist():
        hits[text] = search(text)
    return hits
