"""The runtime's decisions on the templates of a draw, over texts that are encoded once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast, get_args

import numpy as np

from pocketintent.evaluation.intents.datasets import Draw, IntentData
from pocketintent.runtime.arrays import FloatArray, IndexArray
from pocketintent.runtime.decision.bot import TEXTS_AT_ONCE, make_corrector
from pocketintent.runtime.decision.registry import DECISIONS, Decision, make_scorer
from pocketintent.runtime.decision.scoring import Scorer
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.index.building import Search, index_templates
from pocketintent.runtime.templates.template_set import IntentTemplates, TemplateSet

SEARCHES: tuple[Search, ...] = get_args(Search)
"""``exact``: templates as vectors. ``table``: the recogniser's quantised templates."""


def check_decisions(decisions: Iterable[str]) -> tuple[Decision, ...]:
    """Reject a name that is not in ``DECISIONS``.

    Raises:
        PocketIntentError: A decision is unknown.
    """
    for decision in decisions:
        if decision not in DECISIONS:
            raise PocketIntentError(
                f"unknown decision {decision!r}; choose one of {', '.join(DECISIONS)}"
            )
    return cast(tuple[Decision, ...], tuple(decisions))


def check_search(search: str) -> Search:
    """Reject a name that is not in ``SEARCHES``.

    Raises:
        PocketIntentError: The search is unknown.
    """
    if search not in SEARCHES:
        raise PocketIntentError(f"unknown search {search!r}; choose one of {', '.join(SEARCHES)}")
    return search


class EmbeddedTexts:
    """An encoder that computes the vector of a text once, with the model's other parts.

    Args:
        encoder: The encoder.
        texts: Lists of texts; each is encoded in one call. Other texts, such as corrected ones,
            are encoded when they are asked for.
    """

    def __init__(self, encoder: Encoder, *texts: Sequence[str]) -> None:
        self.dim = encoder.dim
        self.template_quantizer = encoder.template_quantizer
        self.background = encoder.background
        self.known_words = encoder.known_words
        self._encoder = encoder
        self._vectors: dict[str, FloatArray] = {}
        for group in texts:
            self._add(group)

    def _add(self, texts: Sequence[str]) -> None:
        self._vectors.update(zip(texts, self._encoder.encode_batch(texts), strict=True))

    def encode(self, text: str) -> FloatArray:
        """Return the embedding of a text, float32 [dim]."""
        vector: FloatArray = self.encode_batch([text])[0]
        return vector

    def encode_batch(self, texts: Sequence[str]) -> FloatArray:
        """Return the embeddings of texts, float32 [num_texts, dim]."""
        if others := [text for text in dict.fromkeys(texts) if text not in self._vectors]:
            self._add(others)
        vectors = np.empty((len(texts), self.dim), np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self._vectors[text]
        return vectors


@dataclass(frozen=True, eq=False)
class BestIntents:
    """The best intent of each text."""

    labels: IndexArray
    """intp [num_texts]: its label; 0 for a text without a known word."""
    scores: FloatArray
    """float32 [num_texts]: its score; 0 for a text without a known word."""


class DrawScorers:
    """The templates of a draw, as the recogniser indexes and scores them.

    Args:
        encoder: The encoder of the templates and of the texts, such as :class:`EmbeddedTexts`.
        data: The data set.
        draw: The templates.
        decisions: The decisions to score by.
        search: ``"exact"`` or ``"table"``.

    The typing errors of the texts are corrected, as the recogniser does.
    """

    def __init__(
        self,
        encoder: Encoder,
        data: IntentData,
        draw: Draw,
        decisions: Sequence[Decision] = DECISIONS,
        search: Search = "exact",
    ) -> None:
        intents = {name: IntentTemplates([]) for name in data.intents[: data.num_trained]}
        for index, label in zip(draw.indices, draw.labels, strict=True):
            intents[data.intents[label]].templates.append(data.train_texts[index])
        templates = TemplateSet(intents, learn_names=data.learn_names)
        indexed = index_templates(encoder, templates, search)
        self._corrector = make_corrector(encoder, templates, indexed)
        label_of = {name: label for label, name in enumerate(data.intents)}
        self._encoder = encoder
        self._labels = np.array([label_of[name] for name in indexed.names], np.intp)
        self._scorers = {
            decision: make_scorer(decision, encoder, templates, indexed) for decision in decisions
        }

    def answer(self, texts: Sequence[str]) -> dict[Decision, BestIntents]:
        """The best intent of each text by each decision.

        Labels are those of ``IntentRecognizer.match``, whatever the thresholds; scores are equal up
        to rounding.
        """
        if self._corrector is not None:
            texts = [self._corrector(text) for text in texts]
        vectors = self._encoder.encode_batch(texts)
        return {
            decision: self._answer(scorer, texts, vectors)
            for decision, scorer in self._scorers.items()
        }

    def _answer(
        self, scorer: Scorer | None, texts: Sequence[str], vectors: FloatArray
    ) -> BestIntents:
        best = BestIntents(np.zeros(len(texts), np.intp), np.zeros(len(texts), np.float32))
        known = np.flatnonzero(vectors.any(axis=1))
        if scorer is None:
            return best
        for start in range(0, len(known), TEXTS_AT_ONCE):
            rows = known[start : start + TEXTS_AT_ONCE]
            hits = scorer.search_block([texts[row] for row in rows], vectors[rows], limit=1)
            best.labels[rows] = self._labels[[first.intent for (first,) in hits]]
            best.scores[rows] = [first.score for (first,) in hits]
        return best
