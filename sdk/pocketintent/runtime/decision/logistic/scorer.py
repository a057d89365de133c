"""The decision ``logistic``: the score of an intent is the probability that a classifier gives it.

``docs/decision.md`` specifies it, with test vectors.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import (
    LARGEST,
    FloatArray,
    Parts,
    empty_aligned,
    read_number,
    read_tensor,
)
from pocketintent.runtime.background import Background
from pocketintent.runtime.decision.scoring import Hit, Scorer
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.index.indexed_templates import IndexedTemplates
from pocketintent.runtime.text.languages import is_negated, read_negations
from pocketintent.runtime.text.ngram_counts import (
    NUM_BUCKETS,
    SETTINGS,
    count_ngrams_of_texts,
    count_ngrams_of_tokens,
)
from pocketintent.runtime.text.tokenizer import simple_tokenize
from pocketintent.runtime.threads import FilledOnUse

NGRAM_SCALE = 0.7
"""Length of the n-gram part, where the sentence vector has length 1. A scale of 1 is half a point
worse on clean text and 1 to 2 points better with two typing errors."""
NEGATION_SCALE = 2.5
"""Value of the negation feature of a negated text. With 1.5 up to twice as many negated commands
get the intent that they forbid; with 3 no fewer."""


def bucket_weights(background: Background | None) -> FloatArray:
    """The weight of each n-gram bucket, float32 [NUM_BUCKETS]: ones without a background."""
    return np.ones(NUM_BUCKETS, np.float32) if background is None else background.idf


def sigmoid(logits: NDArray[np.floating]) -> NDArray[Any]:
    """``1 / (1 + exp(-x))``, without overflow."""
    result: NDArray[Any] = 0.5 * (1 + np.tanh(0.5 * logits))
    return result


@dataclass(frozen=True)
class Calibration:
    """``sigmoid(slope * logit + intercept)`` is the probability that an intent is right."""

    slope: float
    """From 0.2 to 5, so that the order of intents stays."""
    intercept: float


@dataclass(frozen=True, eq=False)
class Classifier(FilledOnUse):
    """A logistic regression for each intent, and their calibration; never changed."""

    names: tuple[str, ...]
    """The intents, in the order of the index."""
    weights: FloatArray
    """float32 [num_intents, num_features + 1]: those of the vector, of the n-gram counts, of the
    negation if there is one, and the bias."""
    calibration: Calibration
    bucket_weights: FloatArray
    """float32 [NUM_BUCKETS], the weights of the n-gram counts."""
    negations: frozenset[str] = frozenset()
    """The tokens that negate a text; empty for a classifier that does not look for them."""

    @cached_property
    def parts(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Calibrated weights of the vector, of the counts, the biases, and squared bucket weights.

        float32 [num_intents, dim], [num_intents, NUM_BUCKETS], [num_intents] and [NUM_BUCKETS].
        The weights of the counts contain those of the buckets, so that no count is weighted twice.
        """
        slope = np.float32(self.calibration.slope)
        dim = self.weights.shape[1] - 1 - bool(self.negations) - NUM_BUCKETS
        ngrams = slice(dim, dim + NUM_BUCKETS)
        of_vector = np.multiply(slope, self.weights[:, :dim], empty_aligned(len(self.weights), dim))
        of_counts = empty_aligned(len(self.weights), len(self.bucket_weights))
        np.multiply(slope * np.float32(NGRAM_SCALE), self.weights[:, ngrams], of_counts)
        of_counts *= self.bucket_weights
        biases = slope * self.weights[:, -1] + np.float32(self.calibration.intercept)
        return of_vector, of_counts, biases, self.bucket_weights**2

    @cached_property
    def of_negation(self) -> FloatArray:
        """What a negation adds to the logits, float32 [num_intents]; zeros without negations."""
        if not self.negations:
            return np.zeros(len(self.names), np.float32)
        scale = np.float32(self.calibration.slope) * np.float32(NEGATION_SCALE)
        of_negation: FloatArray = scale * self.weights[:, -2]
        return of_negation

    def logits(self, vector: FloatArray, text: str) -> FloatArray:
        """The calibrated logits of a text, float32 [num_intents], a new array.

        The sigmoid of one is the intent's probability; ``vector`` is float32 [dim].
        """
        of_vector, of_counts, biases, squares = self.parts
        tokens = simple_tokenize(text)
        counts = count_ngrams_of_tokens(tokens)
        length = math.sqrt((counts * counts).dot(squares))
        # `dot` is quicker to call than `@`, which counts for a few intents.
        logits: FloatArray = of_counts.dot(counts)
        logits *= 1 / (length or 1)
        logits += of_vector.dot(vector)
        if self.negations and not self.negations.isdisjoint(tokens):
            logits += self.of_negation
        logits += biases
        return logits

    def logit_block(
        self, vectors: FloatArray, counts: FloatArray, negated: Sequence[bool] = ()
    ) -> FloatArray:
        """The calibrated logits of several texts, float32 [n, num_intents]; see :meth:`logits`.

        Args:
            vectors: float32 [n, dim], the sentence vectors.
            counts: float32 [n, NUM_BUCKETS], the signed n-gram counts.
            negated: Whether each text is negated; empty if none is.
        """
        of_vector, of_counts, biases, squares = self.parts
        lengths = np.sqrt((counts * counts) @ squares)[:, None]
        ngrams = np.divide(counts, lengths, out=np.zeros_like(counts), where=lengths > 0)
        logits: FloatArray = vectors @ of_vector.T
        logits += ngrams @ of_counts.T
        if any(negated):
            logits[np.array(negated)] += self.of_negation
        logits += biases
        return logits


@dataclass(frozen=True, eq=False)
class LogisticScorer(Scorer):
    """Scores an intent by the probability that it is the text's."""

    classifier: Classifier

    rounding = 1e-4  # of the logits

    @property
    def text_features(self) -> Mapping[str, Mapping[str, Any]]:
        """The n-gram counts, and the negation if the classifier looks for it."""
        from pocketintent.runtime.graphs.features import NEGATION, NGRAM_COUNTS

        if not self.classifier.negations:
            return {NGRAM_COUNTS: SETTINGS}
        negation = {"words": sorted(self.classifier.negations)}
        return {NGRAM_COUNTS: SETTINGS, NEGATION: negation}

    def search(self, text: str, vector: FloatArray, limit: int) -> list[Hit]:
        """The best intents; see :meth:`Scorer.search`."""
        logits, hits = self.classifier.logits(vector, text), []
        for _ in range(min(limit, len(logits))):
            intent = int(logits.argmax())
            first, similarities = self.indexed.template_scores(intent, vector)
            score = 0.5 * (1 + math.tanh(0.5 * logits.item(intent)))
            hits.append(Hit(intent, score, first + int(similarities.argmax())))
            logits[intent] = -np.inf
        return hits

    def score_block(self, texts: Sequence[str], vectors: FloatArray) -> FloatArray:
        """The scores of all intents; see :meth:`Scorer.score_block`."""
        return sigmoid(self.totals(texts, vectors))

    def totals(self, texts: Sequence[str], vectors: FloatArray) -> FloatArray:
        """The logits; see :meth:`Scorer.totals`."""
        negations = self.classifier.negations
        negated = [is_negated(text, negations) for text in texts] if negations else ()
        return self.classifier.logit_block(vectors, count_ngrams_of_texts(texts), negated)

    def scores_of(self, totals: FloatArray) -> FloatArray:
        """The probabilities of logits."""
        return sigmoid(totals)

    def parts(self) -> Parts:
        """The parts of the classifier in a bot file.

        The settings ``slope`` and ``intercept``, and the tensor ``weights``, float32 [num_intents,
        dim + NUM_BUCKETS + 1]; for a classifier that looks for negations the list ``negations``
        too, and one more weight before the last. The weights of the buckets are the background's.
        """
        classifier, calibration = self.classifier, self.classifier.calibration
        settings: dict[str, Any] = {"slope": calibration.slope, "intercept": calibration.intercept}
        if classifier.negations:
            settings["negations"] = sorted(classifier.negations)
        return settings, {"weights": classifier.weights}

    @classmethod
    def read(
        cls,
        encoder: Encoder,
        indexed: IndexedTemplates,
        settings: Mapping[str, Any],
        tensors: Mapping[str, NDArray[Any]],
    ) -> LogisticScorer:
        """The scorer that gave :meth:`parts`, with the model and the index of the file.

        ModelFileError if a number is missing or out of range, the weights have another shape, or
        the negations are not a list of tokens.
        """
        part = "the classifier"
        negations = frozenset[str]()
        if "negations" in settings:
            negations = read_negations(settings["negations"], part)
        shape = len(indexed.names), encoder.dim + NUM_BUCKETS + bool(negations) + 1
        weights = read_tensor(tensors, "weights", ["float32"], shape, part)
        slope = read_number(settings, "slope", 0.0, part)
        calibration = Calibration(slope, read_number(settings, "intercept", -LARGEST, part))
        buckets = bucket_weights(encoder.background)
        return cls(indexed, Classifier(indexed.names, weights, calibration, buckets, negations))
