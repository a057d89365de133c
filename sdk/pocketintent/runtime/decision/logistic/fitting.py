"""The fit of the classifier: the weights of its intents, and their calibration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.decision.logistic.calibration import HeldOut, calibrate, leave_one_out
from pocketintent.runtime.decision.logistic.examples import Examples, FeatureMaker, make_examples
from pocketintent.runtime.decision.logistic.scorer import (
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
from pocketintent.runtime.templates.template_set import TemplateSet
from pocketintent.runtime.text.languages import any_negated, negations_of
from pocketintent.runtime.threads import one_blas_thread


def fit_scorer(
    encoder: Encoder, templates: TemplateSet, indexed: IndexedTemplates, old: Scorer | None = None
) -> LogisticScorer:
    """Fit a classifier on the templates, the names, the counter-examples and the background.

    Equal sets give equal weights to the last bit, in whatever order their intents and templates
    are, if they are fitted from scratch.

    Args:
        encoder: The model.
        templates: The set, with at least one template in which the encoder knows a word.
        indexed: The index of its templates, whose vectors are fitted on.
        old: The scorer before an edit, from whose weights the solver starts.
    """
    before = old.classifier if isinstance(old, LogisticScorer) else None
    fit = _fit(encoder, templates, indexed, before)
    weights = fit.weights[[fit.names.index(name) for name in indexed.names]]
    buckets, negations = fit.maker.bucket_weights, fit.maker.negations
    classifier = Classifier(indexed.names, weights, fit.calibration, buckets, negations)
    return LogisticScorer(classifier, indexed)


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
    with one_blas_thread():
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
