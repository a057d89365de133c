"""The fit of the classifier: the features of its examples, and the weights of its intents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray, IndexArray, row_lengths, unit_rows
from pocketintent.runtime.background import Background
from pocketintent.runtime.decision.logistic.calibration import HeldOut, calibrate, leave_one_out
from pocketintent.runtime.decision.logistic.scorer import (
    NEGATION_SCALE,
    NGRAM_SCALE,
    Calibration,
    Classifier,
    LogisticScorer,
    bucket_weights,
    sigmoid,
)
from pocketintent.runtime.decision.logistic.solver import NO_INTENT, TrainingRows, solve
from pocketintent.runtime.decision.scoring import Scorer
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.index.indexed_templates import IndexedTemplates
from pocketintent.runtime.templates.template_set import TemplateSet, words_of_name
from pocketintent.runtime.text.languages import any_negated, is_negated, negations_of
from pocketintent.runtime.text.ngram_counts import count_ngrams_of_texts

LEAST_SIMILARITY = 0.25
"""Cosine similarity of a background line's n-grams to those of a negation above which the line
counts as negated. One line in seven then does, and almost half of these are. With a feature of 0
for all lines, a negated text that no intent is made for resembles templates such as "i can't log
in" more than any line, and is accepted ten times as often."""


def fit_scorer(
    encoder: Encoder, templates: TemplateSet, indexed: IndexedTemplates, old: Scorer | None = None
) -> LogisticScorer:
    """Fit the classifier of an index, starting from the one before an edit."""
    before = old.classifier if isinstance(old, LogisticScorer) else None
    return LogisticScorer(fit_classifier(encoder, templates, indexed, before), indexed)


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
    fit = _fit(encoder, templates, indexed, old)
    order = [fit.names.index(name) for name in indexed.names]
    weights, maker = fit.weights[order], fit.maker
    return Classifier(
        indexed.names, weights, fit.calibration, maker.bucket_weights, maker.negations
    )


def leave_out_templates(
    encoder: Encoder, templates: TemplateSet, indexed: IndexedTemplates
) -> dict[str, tuple[FloatArray, FloatArray]]:
    """How each template would be scored by a classifier that is fitted without it.

    Args:
        encoder: The model.
        templates: The set, with at least one template in which the encoder knows a word.
        indexed: The index of its templates.

    Returns:
        For each intent of the index two arrays, float32 [num_templates], of which the templates
        are in alphabetical order: the score of the intent, 0..1, and the highest score of another
        intent, 0 if there is none. See :func:`leave_one_out`.
    """
    fit = _fit(encoder, templates, indexed)
    is_template = ~fit.examples.is_name
    scores = {}
    for label, name in enumerate(fit.names):
        rows = is_template & (fit.examples.labels == label)
        own, others = fit.held_out.own[rows], fit.held_out.others[rows]
        slope, intercept = fit.calibration.slope, fit.calibration.intercept
        scores[name] = sigmoid(slope * own + intercept), sigmoid(slope * others + intercept)
    return scores


@dataclass(frozen=True, eq=False)
class _Fit:
    """A fit of the intents in alphabetical order."""

    names: list[str]
    maker: FeatureMaker
    examples: Examples
    weights: FloatArray
    held_out: HeldOut
    calibration: Calibration


def _fit(
    encoder: Encoder,
    templates: TemplateSet,
    indexed: IndexedTemplates,
    old: Classifier | None = None,
) -> _Fit:
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
    held_out = leave_one_out(rows, solution)
    calibration = calibrate(rows, held_out, examples.is_name)
    solution[:, -1] -= solution[:, :-1] @ center
    return _Fit(names, maker, examples, solution, held_out, calibration)


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


@dataclass(frozen=True, eq=False)
class FeatureMaker:
    """Makes the features that a classifier is fitted on."""

    bucket_weights: FloatArray
    """float32 [NUM_BUCKETS], see :func:`bucket_weights`."""
    negations: frozenset[str]
    """The tokens that negate a text; empty if the classifier does not look for them."""

    def of_texts(self, texts: Sequence[str], vectors: FloatArray) -> FloatArray:
        """The features of several texts.

        Args:
            texts: The texts.
            vectors: float32 [n, dim], their sentence vectors.

        Returns:
            float32 [n, num_features]: the vectors; the weighted n-gram counts at length
            ``NGRAM_SCALE``, or zeros where there are none; and, if there are negations,
            ``NEGATION_SCALE`` for a negated text and 0 for another one.
        """
        weighted = count_ngrams_of_texts(texts) * self.bucket_weights
        lengths = row_lengths(weighted)[:, None]
        scaled = np.divide(
            weighted * np.float32(NGRAM_SCALE), lengths, where=lengths > 0, out=weighted
        )
        return np.concatenate([vectors, scaled, *self._flags(texts)], axis=1)

    def of_background(self, background: Background) -> FloatArray:
        """The features of the background's lines, float32 [num_lines, num_features].

        The lines are stored as codes, so whether one is negated is estimated from its n-grams.
        """
        ngrams = unit_rows(background.ngrams.decode())
        parts = [background.vectors.decode(), np.float32(NGRAM_SCALE) * ngrams]
        if self.negations:
            similarities = ngrams @ self._negation_ngrams().T
            negated = similarities.max(axis=1, keepdims=True) > LEAST_SIMILARITY
            parts.append(np.float32(NEGATION_SCALE) * negated)
        return np.concatenate(parts, axis=1)

    def _negation_ngrams(self) -> FloatArray:
        """The weighted n-grams of each negation at unit length, [num_negations, NUM_BUCKETS]."""
        # A token with an apostrophe follows a letter.
        texts = [f"n{word}" if word.startswith("'") else word for word in sorted(self.negations)]
        return unit_rows(count_ngrams_of_texts(texts) * self.bucket_weights)

    def _flags(self, texts: Sequence[str]) -> list[FloatArray]:
        """The column of the negation feature, if there is one."""
        if not self.negations:
            return []
        flags = [[NEGATION_SCALE * is_negated(text, self.negations)] for text in texts]
        return [np.array(flags, np.float32).reshape(-1, 1)]


@dataclass(frozen=True, eq=False)
class Examples:
    """The features of texts, and what each text is an example of."""

    features: FloatArray
    """float32 [num_rows, num_features]."""
    labels: IndexArray
    """intp [num_rows]: the intent of each row, or ``NO_INTENT``."""
    counter_examples: IndexArray
    """intp [num_rows]: the only intent that the row is an example against; ``NO_INTENT`` for a row
    that counts for all intents."""
    is_name: NDArray[np.bool_]
    """bool [num_rows]: whether the row is the name of its intent rather than a text."""


def make_examples(
    encoder: Encoder,
    templates: TemplateSet,
    indexed: IndexedTemplates,
    names: Sequence[str],
    maker: FeatureMaker,
) -> Examples:
    """The examples of a template set, in an order that depends on the texts alone.

    Args:
        encoder: The model.
        templates: The set.
        indexed: The index of its templates, which has their vectors.
        names: The intents of the index; a label is a position among them.
        maker: What makes the features.
    """
    groups = [_of_templates(indexed, names, maker)]
    groups.append(_of(_encode(encoder, templates.none + templates.background, maker)))
    if encoder.background is not None:
        groups.append(_of(maker.of_background(encoder.background)))
    for label, name in enumerate(names):
        texts = _counter_examples(templates, name, maker.negations)
        groups.append(_of(_encode(encoder, texts, maker), counter_example=label))
    if templates.learn_names:
        groups.append(_of_names(encoder, names, maker))
    return Examples(
        np.concatenate([group.features for group in groups]),
        np.concatenate([group.labels for group in groups]),
        np.concatenate([group.counter_examples for group in groups]),
        np.concatenate([group.is_name for group in groups]),
    )


def _counter_examples(templates: TemplateSet, name: str, negations: frozenset[str]) -> list[str]:
    """The counter-examples of an intent, and its negated name if one of them is negated.

    Otherwise the name would be evidence for "not lights on", too. A name that is a negation itself,
    such as ``card_not_working``, says what the intent is, and is not negated.
    """
    texts, own_words = templates.intents[name].counter_examples, words_of_name(name)
    if not templates.learn_names or is_negated(own_words, negations):
        return texts
    return [*texts, f"not {own_words}"] if any_negated(texts, negations) else texts


def _of(
    features: FloatArray,
    labels: IndexArray | None = None,
    counter_example: int = NO_INTENT,
    is_name: bool = False,
) -> Examples:
    """The examples of some features: of no intent, unless they have labels."""
    number = len(features)
    if labels is None:
        labels = np.full(number, NO_INTENT, np.intp)
    against = np.full(number, counter_example, np.intp)
    return Examples(features, labels, against, np.full(number, is_name))


def _of_templates(indexed: IndexedTemplates, names: Sequence[str], maker: FeatureMaker) -> Examples:
    """The templates of each intent in alphabetical order, with their vectors from the index."""
    texts, vectors, labels = list[str](), list[FloatArray](), list[int]()
    for label, name in enumerate(names):
        intent = indexed.intents[name]
        order = sorted(range(len(intent.texts)), key=intent.texts.__getitem__)
        rows = intent.rows[:-1][order]
        if indexed.quantizer is not None:
            rows = unit_rows(indexed.quantizer.decode_codes(rows))
        texts += [intent.texts[position] for position in order]
        vectors.append(rows)
        labels += [label] * len(order)
    return _of(maker.of_texts(texts, np.concatenate(vectors)), np.array(labels, np.intp))


def _of_names(encoder: Encoder, names: Sequence[str], maker: FeatureMaker) -> Examples:
    """The names of the intents, without those of which the encoder knows nothing."""
    texts = [words_of_name(name) for name in names]
    vectors = encoder.encode_batch(texts)
    is_known = vectors.any(axis=1)
    features = maker.of_texts(texts, vectors)[is_known]
    return _of(features, np.flatnonzero(is_known), is_name=True)


def _encode(encoder: Encoder, texts: Sequence[str], maker: FeatureMaker) -> FloatArray:
    """The features of texts in alphabetical order, without those of which nothing is known."""
    texts = sorted(texts)
    vectors = encoder.encode_batch(texts).reshape(len(texts), encoder.dim)
    is_known = vectors.any(axis=1)
    return maker.of_texts(texts, vectors)[is_known]
