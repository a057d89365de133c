"""From sentence vectors to matches: the index is searched, then threshold and margin decide."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.decision.hits import ROUNDING, HitBlock
from pocketintent.runtime.decision.indexing import IndexedTemplates
from pocketintent.runtime.decision.matching import Decision
from pocketintent.runtime.decision.results import Candidate, Match, Reason
from pocketintent.runtime.templates.template_set import TemplateSet


def rank_vector(
    indexed: IndexedTemplates, vector: FloatArray, decision: Decision, limit: int
) -> list[Candidate]:
    """The best intents of a text, whatever the thresholds are.

    Args:
        indexed: The templates.
        vector: float32 [dim], the text's vector; zeros when the encoder recognises nothing in it.
        decision: How templates and centroids make a score.
        limit: Maximum number of candidates.

    Returns:
        Candidates in descending order of score; none without templates or for a vector of zeros.
    """
    if indexed.index is None or not vector.any():
        return []
    return [
        Candidate(indexed.names[hit.intent], hit.score, indexed.texts[hit.row])
        for hit in indexed.index.search(vector, decision, limit)
    ]


def match_vector(
    indexed: IndexedTemplates, templates: TemplateSet, vector: FloatArray, decision: Decision
) -> Match:
    """The match of one text.

    Args:
        indexed: The templates.
        templates: The set that they come from, for its thresholds and margin.
        vector: float32 [dim], the text's vector; zeros when the encoder recognises nothing in it.
        decision: How templates and centroids make a score.
    """
    best = rank_vector(indexed, vector, decision, limit=2)
    if not best:
        return _no_intent("no_templates" if indexed.index is None else "unknown_words")
    nearest, runner_up = best[0], best[1] if len(best) > 1 else None
    threshold = templates.threshold_of(nearest.intent)
    found = nearest.intent, nearest.score, nearest.template
    return _decide(*found, runner_up, threshold, templates.margin)


def match_vectors(
    indexed: IndexedTemplates, templates: TemplateSet, vectors: FloatArray, decision: Decision
) -> list[Match]:
    """The matches of several texts, as :func:`match_vector` gives them but for rounding.

    Args:
        indexed: The templates.
        templates: The set that they come from, for its thresholds and margin.
        vectors: float32 [num_texts, dim], a row for each text.
        decision: How templates and centroids make a score.

    Returns:
        A match for each text. A score may differ in its last digits from that of
        :func:`match_vector`, since a larger product is summed in another order; intents,
        templates and reasons are the same.
    """
    index = indexed.index
    if index is None:
        return [_no_intent("no_templates")] * len(vectors)
    is_known = np.any(vectors, axis=1)
    queries = vectors[is_known]
    hits = index.search_block(queries, decision, limit=2)
    own_thresholds = np.array([templates.threshold_of(name) for name in indexed.names])
    thresholds = own_thresholds[hits.intents[:, 0]]
    for query in np.flatnonzero(_is_close_call(hits, thresholds, templates.margin)).tolist():
        hits.replace(query, index.search(queries[query], decision, limit=2))
    matches = [_no_intent("unknown_words")] * len(vectors)
    names, texts, least_margin = indexed.names, indexed.texts, templates.margin
    runner_ups: list[Candidate | None] = [None] * len(queries)
    if len(names) > 1:
        seconds = _column(hits, 1)
        runner_ups = [Candidate(names[i], score, texts[row]) for i, score, row in seconds]
    known = zip(np.flatnonzero(is_known).tolist(), runner_ups, thresholds.tolist(), strict=True)
    for (i, score, row), (position, other, limit) in zip(_column(hits, 0), known, strict=True):
        matches[position] = _decide(names[i], score, texts[row], other, limit, least_margin)
    return matches


def _column(hits: HitBlock, place: int) -> Iterator[tuple[int, float, int]]:
    """Intent, score and row of the hit at a place, for each query."""
    parts = hits.intents, hits.scores, hits.rows
    return zip(*(part[:, place].tolist() for part in parts), strict=True)


def _decide(
    nearest: str,
    score: float,
    template: str,
    runner_up: Candidate | None,
    threshold: float,
    least_margin: float,
) -> Match:
    margin = None if runner_up is None else score - runner_up.score
    reason: Reason | None = None
    if score < threshold:
        reason = "below_threshold"
    elif margin is not None and margin < least_margin:
        reason = "ambiguous"
    return Match(None if reason else nearest, score, template, nearest, runner_up, margin, reason)


def _is_close_call(
    hits: HitBlock, thresholds: NDArray[np.float64], least_margin: float
) -> NDArray[np.bool_]:
    """The queries whose score or lead is so near its limit that rounding could decide."""
    scores = hits.scores
    is_close: NDArray[np.bool_] = np.abs(scores[:, 0] - thresholds) < ROUNDING
    if scores.shape[1] > 1:
        is_close |= np.abs(scores[:, 0] - scores[:, 1] - least_margin) < ROUNDING
    return is_close


def _no_intent(reason: Reason) -> Match:
    return Match(None, 0.0, None, None, None, None, reason)
