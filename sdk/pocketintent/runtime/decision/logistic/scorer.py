"""The decision ``logistic``: the classifier finds the intents, the index their templates."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.decision.logistic.classifier import Classifier, fit_classifier
from pocketintent.runtime.decision.logistic.solver import sigmoid
from pocketintent.runtime.decision.logistic.stored import classifier_parts, read_classifier
from pocketintent.runtime.decision.scoring import Parts, Scorer
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.graphs.features import NEGATION, NGRAM_COUNTS, FeatureSettings
from pocketintent.runtime.index.hits import ROUNDING, Hit, HitBlock
from pocketintent.runtime.index.indexing import IndexedTemplates
from pocketintent.runtime.index.matching import Index
from pocketintent.runtime.templates.template_set import TemplateSet
from pocketintent.runtime.text.languages import is_negated
from pocketintent.runtime.text.ngram_counts import SETTINGS, count_ngrams_of_texts

_LOGIT_ROUNDING = 1e-4
"""Logits that differ by less may change places when they are summed in another order."""


@dataclass(frozen=True, eq=False)
class LogisticScorer:
    """Scores an intent by the probability that it is the text's; see :class:`Scorer`."""

    classifier: Classifier
    index: Index
    """The templates, of which the nearest is shown with its intent."""

    @property
    def text_features(self) -> FeatureSettings:
        """The n-gram counts, and the negation if the classifier looks for it."""
        if not self.classifier.negations:
            return {NGRAM_COUNTS: SETTINGS}
        negation = {"words": sorted(self.classifier.negations)}
        return {NGRAM_COUNTS: SETTINGS, NEGATION: negation}

    @classmethod
    def fit(
        cls,
        encoder: Encoder,
        templates: TemplateSet,
        indexed: IndexedTemplates,
        old: Scorer | None,
    ) -> LogisticScorer:
        """Fit the classifier of an index, starting from the one before an edit."""
        assert indexed.index is not None
        before = old.classifier if isinstance(old, LogisticScorer) else None
        return cls(fit_classifier(encoder, templates, indexed, before), indexed.index)

    @classmethod
    def read(
        cls,
        encoder: Encoder,
        indexed: IndexedTemplates,
        settings: Mapping[str, Any],
        tensors: Mapping[str, NDArray[Any]],
    ) -> LogisticScorer:
        """The scorer of a bot file, whose classifier is not fitted again."""
        assert indexed.index is not None
        return cls(read_classifier(encoder, indexed.names, settings, tensors), indexed.index)

    def search(self, text: str, vector: FloatArray, limit: int) -> list[Hit]:
        """The best intents; see :meth:`Scorer.search`."""
        logits, hits = self.classifier.logits(vector, text), []
        for _ in range(min(limit, len(logits))):
            intent = int(logits.argmax())
            first, similarities = self.index.template_scores(intent, vector)
            score = _probability(logits.item(intent))
            hits.append(Hit(intent, score, first + int(similarities.argmax())))
            logits[intent] = -np.inf
        return hits

    def search_block(self, texts: Sequence[str], vectors: FloatArray, limit: int) -> HitBlock:
        """The best intents of several texts; see :meth:`Scorer.search_block`."""
        logits = self._logit_block(texts, vectors)
        scores = sigmoid(logits)
        block = HitBlock.empty(len(texts), min(limit, logits.shape[1]))
        rows, is_close = np.arange(len(texts)), np.zeros(len(texts), bool)
        for place in range(block.intents.shape[1]):
            intents = logits.argmax(axis=1)
            best = logits[rows, intents]
            logits[rows, intents] = -np.inf
            block.intents[:, place], block.scores[:, place] = intents, scores[rows, intents]
            is_close |= best - logits.max(axis=1) < _LOGIT_ROUNDING
            is_close |= self._find_templates(block, place, vectors)
        for row in np.flatnonzero(is_close).tolist():
            block.replace(row, self.search(texts[row], vectors[row], limit))
        return block

    def _find_templates(
        self, block: HitBlock, place: int, vectors: FloatArray
    ) -> NDArray[np.bool_]:
        """Fill in the nearest templates at a place; whether another one is as near, [num_texts]."""
        has_tie = np.zeros(len(vectors), bool)
        intents = block.intents[:, place]
        for intent in np.unique(intents).tolist():
            members = np.flatnonzero(intents == intent)
            first, similarities = self.index.template_scores(intent, vectors[members].T)
            block.rows[members, place] = first + similarities.argmax(axis=0)
            has_tie[members] = (similarities > similarities.max(axis=0) - ROUNDING).sum(axis=0) > 1
        return has_tie

    def score_block(self, texts: Sequence[str], vectors: FloatArray) -> FloatArray:
        """The scores of all intents; see :meth:`Scorer.score_block`."""
        return sigmoid(self._logit_block(texts, vectors))

    def _logit_block(self, texts: Sequence[str], vectors: FloatArray) -> FloatArray:
        """The logits of several texts, float32 [num_texts, num_intents]."""
        negations = self.classifier.negations
        negated = [is_negated(text, negations) for text in texts] if negations else ()
        return self.classifier.logit_block(vectors, count_ngrams_of_texts(texts), negated)

    def to_parts(self) -> Parts:
        """The classifier; see :func:`classifier_parts`."""
        return classifier_parts(self.classifier)


def _probability(logit: float) -> float:
    """The sigmoid of one logit, 0..1."""
    return 0.5 * (1 + math.tanh(0.5 * logit))
