"""Exact cosine search: the best intent of each query, over all templates of a draw."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from pocketintent.runtime.arrays import FloatArray, IndexArray
from pocketintent.runtime.errors import PocketIntentError

DECISIONS = ("nearest", "nearest+centroid")
"""``nearest``: the intent of the template with the highest cosine, as in the thesis.
``nearest+centroid``: the mean of that cosine and the cosine to the intent's centroid."""

_BLOCK = 512  # queries scored at once: bounds memory to block x templates floats


def check_decisions(decisions: Iterable[str]) -> None:
    """Reject a name that is not in ``DECISIONS``.

    Raises:
        PocketIntentError: A decision is unknown.
    """
    for decision in decisions:
        if decision not in DECISIONS:
            raise PocketIntentError(
                f"unknown decision {decision!r}; choose one of {', '.join(DECISIONS)}"
            )


def unit_centroids(templates: FloatArray, starts: IndexArray) -> FloatArray:
    """Return the unit-length mean of each intent's templates.

    Args:
        templates: Unit vectors float32 [num_templates, dim], grouped by intent.
        starts: First row of each intent [num_intents].

    Returns:
        float32 [num_intents, dim]; a row of zeros where the templates cancel out.
    """
    sums: FloatArray = np.add.reduceat(templates, starts, axis=0)
    norms: FloatArray = np.linalg.norm(sums, axis=1, keepdims=True)
    norms[norms == 0] = 1
    return sums / norms


def score_intents(
    queries: FloatArray,
    templates: FloatArray,
    starts: IndexArray,
    decisions: Sequence[str] = DECISIONS,
) -> dict[str, tuple[IndexArray, FloatArray]]:
    """Find the best intent of each query by exact cosine.

    Args:
        queries: Unit vectors float32 [num_queries, dim].
        templates: Unit vectors float32 [num_templates, dim], grouped by intent.
        starts: First row of each intent [num_intents].
        decisions: Names from ``DECISIONS``.

    Returns:
        For each decision the labels [num_queries], the first label where intents tie, and the
        scores float32 [num_queries] in -1..1: the cosine to the nearest template, or the mean
        of it and the cosine to the centroid.
    """
    centroids = unit_centroids(templates, starts)
    results: dict[str, tuple[IndexArray, FloatArray]] = {
        decision: (np.empty(len(queries), np.intp), np.empty(len(queries), np.float32))
        for decision in decisions
    }
    for first in range(0, len(queries), _BLOCK):
        block = slice(first, first + _BLOCK)
        nearest = np.maximum.reduceat(queries[block] @ templates.T, starts, axis=1)
        for decision, (labels, best) in results.items():
            scores = nearest
            if decision == "nearest+centroid":
                scores = (nearest + queries[block] @ centroids.T) / 2
            labels[block] = scores.argmax(axis=1)
            best[block] = scores.max(axis=1)
    return results
