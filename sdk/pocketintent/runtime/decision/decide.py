"""From texts and their vectors to matches: intents are scored, then threshold and margin decide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.decision.results import Candidate, Match, Reason
from pocketintent.runtime.decision.scoring import Scorer
from pocketintent.runtime.index.hits import ROUNDING, Hit, HitBlock
from pocketintent.runtime.index.indexing import IndexedTemplates
from pocketintent.runtime.templates.refusals import Refusals
from pocketintent.runtime.templates.template_set import TemplateSet
from pocketintent.runtime.text.correction import Corrector


@dataclass(frozen=True, eq=False)
class State:
    """All that a match reads; an edit makes a new one, so that no match sees half an edit."""

    templates: TemplateSet
    """The set, with its thresholds and margin."""
    indexed: IndexedTemplates
    """The templates that the encoder knows, by the positions that the scorer uses."""
    scorer: Scorer | None
    """What scores the intents; None without templates."""
    corrector: Corrector | None = None
    """What corrects the typing errors of a text; None to read it as it is."""

    @cached_property
    def refuses(self) -> Refusals:
        """The counter-examples of the set, word for word."""
        return Refusals(self.templates)

    def read(self, text: str) -> str:
        """The text as it is encoded and scored: with its typing errors corrected."""
        return text if self.corrector is None else self.corrector(text)


def rank_text(state: State, text: str, vector: FloatArray, limit: int) -> list[Candidate]:
    """The best intents of a text, whatever the thresholds are.

    Args:
        state: The templates.
        text: The text.
        vector: float32 [dim], its vector; zeros when the encoder recognises nothing in it.
        limit: Maximum number of candidates.

    Returns:
        Candidates in descending order of score; none without templates or for a vector of zeros.
    """
    return [_candidate(state, hit) for hit in _search(state, text, vector, limit)]


def _search(state: State, text: str, vector: FloatArray, limit: int) -> list[Hit]:
    # `dot` is quicker to call than `any`, but it can be 0 for a vector of tiny numbers.
    if state.scorer is None or not (vector.dot(vector) or vector.any()):
        return []
    return state.scorer.search(text, vector, limit)


def _candidate(state: State, hit: Hit) -> Candidate:
    return Candidate(state.indexed.names[hit.intent], hit.score, state.indexed.texts[hit.row])


def match_text(state: State, text: str, vector: FloatArray) -> Match:
    """The match of a text.

    Args:
        state: The templates.
        text: The text.
        vector: float32 [dim], its vector; zeros when the encoder recognises nothing in it.
    """
    best = _search(state, text, vector, limit=2)
    if not best:
        return _no_intent("no_templates" if state.scorer is None else "unknown_words")
    runner_up = _candidate(state, best[1]) if len(best) > 1 else None
    return _decide(state, text, best[0], runner_up)


def match_texts(state: State, texts: Sequence[str], vectors: FloatArray) -> list[Match]:
    """The matches of several texts, as :func:`match_text` gives them but for rounding.

    Args:
        state: The templates.
        texts: The texts.
        vectors: float32 [num_texts, dim], a row for each text.

    Returns:
        A match for each text. A score may differ in its last digits from that of
        :func:`match_text`, since a larger product is summed in another order; intents,
        templates and reasons are the same.
    """
    scorer, templates = state.scorer, state.templates
    if scorer is None:
        return [_no_intent("no_templates")] * len(vectors)
    is_known = np.any(vectors, axis=1)
    queries, known_texts = vectors[is_known], list(compress(texts, is_known))
    hits = scorer.search_block(known_texts, queries, limit=2)
    names = state.indexed.names
    own_thresholds = np.array([templates.threshold_of(name) for name in names])
    thresholds = own_thresholds[hits.intents[:, 0]]
    for query in np.flatnonzero(_is_close_call(hits, thresholds, templates.margin)).tolist():
        hits.replace(query, scorer.search(known_texts[query], queries[query], limit=2))
    matches = [_no_intent("unknown_words")] * len(vectors)
    runner_ups: list[Candidate | None] = [None] * len(queries)
    if len(names) > 1:
        runner_ups = [_candidate(state, hit) for hit in _column(hits, 1)]
    positions = np.flatnonzero(is_known).tolist()
    for position, hit, runner_up in zip(positions, _column(hits, 0), runner_ups, strict=True):
        matches[position] = _decide(state, texts[position], hit, runner_up)
    return matches


def _column(hits: HitBlock, place: int) -> Iterator[Hit]:
    """The hit at a place, for each query."""
    parts = hits.intents, hits.scores, hits.rows
    return map(Hit, *(part[:, place].tolist() for part in parts))


def _decide(state: State, text: str, best: Hit, runner_up: Candidate | None) -> Match:
    """The match of a text, from its best hit and the next intent."""
    nearest, score = state.indexed.names[best.intent], best.score
    margin = None if runner_up is None else score - runner_up.score
    reason: Reason | None = None
    if state.refuses(text, nearest):
        reason = "counter_example"
    elif score < state.templates.threshold_of(nearest):
        reason = "below_threshold"
    elif margin is not None and margin < state.templates.margin:
        reason = "ambiguous"
    intent, template = None if reason else nearest, state.indexed.texts[best.row]
    return Match(intent, score, template, nearest, runner_up, margin, reason)


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
