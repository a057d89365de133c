"""The fitted classifier: from the features of a text to a probability for each intent."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray, empty_aligned
from pocketintent.runtime.decision.logistic.calibration import Calibration, calibrate
from pocketintent.runtime.decision.logistic.examples import make_examples
from pocketintent.runtime.decision.logistic.features import (
    NEGATION_SCALE,
    NGRAM_SCALE,
    FeatureMaker,
    bucket_weights,
)
from pocketintent.runtime.decision.logistic.leave_one_out import leave_one_out
from pocketintent.runtime.decision.logistic.solver import NO_INTENT, TrainingRows, solve
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.index.indexing import IndexedTemplates
from pocketintent.runtime.templates.template_set import TemplateSet
from pocketintent.runtime.text.languages import any_negated, negations_of
from pocketintent.runtime.text.ngram_counts import NUM_BUCKETS, count_ngrams_of_tokens
from pocketintent.runtime.text.tokenizer import simple_tokenize


@dataclass(frozen=True, eq=False)
class Classifier:
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
        """The calibrated logits of a text; the sigmoid of one is the intent's probability.

        Args:
            vector: float32 [dim], its sentence vector.
            text: The text.

        Returns:
            float32 [num_intents], a new array.
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
        """The calibrated logits of several texts; see :meth:`logits`.

        Args:
            vectors: float32 [n, dim], the sentence vectors.
            counts: float32 [n, NUM_BUCKETS], the signed n-gram counts.
            negated: Whether each text is negated; empty if none is.

        Returns:
            float32 [n, num_intents].
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


def fit_classifier(
    encoder: Encoder,
    templates: TemplateSet,
    indexed: IndexedTemplates,
    old: Classifier | None = None,
) -> Classifier:
    """Fit a classifier on the templates, the names, the counter-examples and the background.

    Equal sets give equal weights to the last bit, in whatever order their intents and templates
    are, if they are fitted from scratch.

    Args:
        encoder: The model.
        templates: The set, with at least one template in which the encoder knows a word.
        indexed: The index of its templates, whose vectors are fitted on.
        old: The classifier before an edit, from whose weights the solver starts.
    """
    names = sorted(indexed.intents)
    maker = FeatureMaker(bucket_weights(encoder.background), _negations(templates))
    examples = make_examples(encoder, templates, indexed, names, maker)
    outside = examples.features[examples.labels == NO_INTENT]
    center = (outside if len(outside) else examples.features).mean(axis=0)
    rows = TrainingRows.build(
        examples.features,
        examples.labels,
        examples.counter_examples,
        len(names),
        center,
        _used_features(templates, names, maker.negations, len(center)),
    )
    has_negation = bool(maker.negations)
    solution = solve(rows, None if old is None else _start(names, old, center, has_negation))
    calibration = calibrate(rows, leave_one_out(rows, solution), examples.is_name)
    solution[:, -1] -= solution[:, :-1] @ center
    order = [names.index(name) for name in indexed.names]
    return Classifier(
        indexed.names, solution[order], calibration, maker.bucket_weights, maker.negations
    )


def _negations(templates: TemplateSet) -> frozenset[str]:
    """The negations of the set's language, if a counter-example of an intent is negated.

    The texts of ``none`` do not count: "never mind" negates no intent.
    """
    negations = negations_of(templates.language)
    texts = chain.from_iterable(intent.counter_examples for intent in templates.intents.values())
    return negations if any_negated(texts, negations) else frozenset()


def _used_features(
    templates: TemplateSet, names: Sequence[str], negations: frozenset[str], num_features: int
) -> NDArray[np.bool_] | None:
    """Which features each intent has a weight for, see ``TrainingRows``; None if each has all.

    The negation counts for an intent of which a counter-example is negated. For any other it would
    be evidence of the background alone, and "i have not finished my book" would be refused because
    of a counter-example of another intent.
    """
    if not negations:
        return None
    is_used = np.ones((num_features + 1, len(names)), np.bool_)  # one more for the bias
    is_used[-2] = [
        any_negated(templates.intents[name].counter_examples, negations) for name in names
    ]
    return is_used


def _start(
    names: Sequence[str], old: Classifier, center: FloatArray, has_negation: bool
) -> FloatArray:
    """The old weights of each intent, for features with the centre taken off; NaN if it is new."""
    start = np.full((len(names), len(center) + 1), np.nan, np.float32)
    old_weights = _with_negation(old) if has_negation else _without_negation(old)
    positions = {name: position for position, name in enumerate(old.names)}
    for row, name in enumerate(names):
        if name in positions:
            start[row] = old_weights[positions[name]]
    start[:, -1] += start[:, :-1] @ center
    return start


def _with_negation(classifier: Classifier) -> FloatArray:
    """The weights with those of the negation, which are 0 if the classifier does not have it."""
    weights = classifier.weights
    return weights if classifier.negations else np.insert(weights, -1, 0, axis=1)


def _without_negation(classifier: Classifier) -> FloatArray:
    """The weights without those of the negation."""
    weights = classifier.weights
    return np.delete(weights, -2, axis=1) if classifier.negations else weights
