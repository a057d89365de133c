"""The fit of the classifier: the weights of its intents, and their calibration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.decision.logistic.calibration import HeldOut, calibrate, leave_one_out
from pocketintent.runtime.decision.logistic.examples import Examples, FeatureMaker, make_examples
from pocketintent.runtime.decision.logistic.scorer import (
    Classifier,
    LogisticScorer,
    bucket_weights,
    sigmoid,
)
from pocketintent.runtime.decision.logistic.solver import NO_INTENT, TrainingRows, solve
from pocketintent.runtime.decision.scoring import Scorer
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.index.indexed_templates import IndexedTemplates
from pocketintent.runtime.templates.template_set import TemplateSet
from pocketintent.runtime.text.languages import any_negated, negations_of
from pocketintent.runtime.threads import one_blas_thread


def fit_scorer(
    encoder: Encoder, templates: TemplateSet, indexed: IndexedTemplates, old: Scorer | None = None
) -> LogisticScorer:
    """Fit a classifier on the templates, the names, the counter-examples and the background.

    The encoder must know a word of at least one template. Equal sets that are fitted from scratch
    give equal weights to the last bit, in whatever order their intents and templates are. ``old``
    is the scorer before an edit, from whose weights the solver starts.
    """
    before = old.classifier if isinstance(old, LogisticScorer) else None
    fitted, _, _ = _fit(encoder, templates, indexed, before)
    weights = fitted.weights[[fitted.names.index(name) for name in indexed.names]]
    return LogisticScorer(indexed, replace(fitted, names=indexed.names, weights=weights))


def leave_out_templates(
    encoder: Encoder, templates: TemplateSet, indexed: IndexedTemplates
) -> dict[str, tuple[FloatArray, FloatArray]]:
    """How each template would be scored by a classifier fitted without it, by intent.

    Returns:
        For each intent of the index two arrays, float32 [num_templates], of which the templates
        are in alphabetical order: the score of the intent, 0..1, and the highest score of another
        intent, 0 if there is none. See :func:`leave_one_out`.
    """
    with one_blas_thread():
        fitted, examples, held_out = _fit(encoder, templates, indexed)
    slope, intercept = fitted.calibration.slope, fitted.calibration.intercept
    scores = {}
    for label, name in enumerate(fitted.names):
        rows = ~examples.is_name & (examples.labels == label)
        own, others = held_out.own[rows], held_out.others[rows]
        scores[name] = sigmoid(slope * own + intercept), sigmoid(slope * others + intercept)
    return scores


def _fit(
    encoder: Encoder,
    templates: TemplateSet,
    indexed: IndexedTemplates,
    old: Classifier | None = None,
) -> tuple[Classifier, Examples, HeldOut]:
    """The classifier of the intents in alphabetical order, and what it was fitted on."""
    names, negations = sorted(indexed.intents), _negations(templates)
    maker = FeatureMaker(bucket_weights(encoder.background), negations)
    examples = make_examples(encoder, templates, indexed, names, maker)
    outside = examples.features[examples.labels == NO_INTENT]
    center = (outside if len(outside) else examples.features).mean(axis=0)
    rows = TrainingRows.build(
        examples.features,
        examples.labels,
        examples.counter_examples,
        len(names),
        center,
        _used_features(templates, names, negations, len(center)),
    )
    start = None if old is None else _start(names, old, center, bool(negations))
    weights = solve(rows, start)
    held_out = leave_one_out(rows, weights)
    calibration = calibrate(rows, held_out, examples.is_name)
    weights[:, -1] -= weights[:, :-1] @ center
    buckets = maker.bucket_weights
    fitted = Classifier(tuple(names), weights, calibration, buckets, negations)
    return fitted, examples, held_out


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
    weights = old.weights
    if has_negation and not old.negations:
        weights = np.insert(weights, -1, 0, axis=1)  # before the bias
    elif old.negations and not has_negation:
        weights = np.delete(weights, -2, axis=1)
    positions = {name: position for position, name in enumerate(old.names)}
    for row, name in enumerate(names):
        if name in positions:
            start[row] = weights[positions[name]]
    start[:, -1] += start[:, :-1] @ center
    return start
