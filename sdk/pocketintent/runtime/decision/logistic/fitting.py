"""The fit of the classifier: the weights of its intents, and their calibration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.decision.logistic.calibration import HeldOut, calibrate, leave_one_out
from pocketintent.runtime.decision.logistic.examples import FeatureMaker, make_examples
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
    fitted, _, _ = fit_rows(encoder, templates, indexed, before)
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
        fitted, rows, held_out = fit_rows(encoder, templates, indexed)
    slope, intercept = fitted.calibration.slope, fitted.calibration.intercept
    scores = {}
    for label, name in enumerate(fitted.names):
        is_own = rows.is_template & (rows.labels == label)
        own, others = held_out.own[is_own], held_out.others[is_own]
        scores[name] = sigmoid(slope * own + intercept), sigmoid(slope * others + intercept)
    return scores


def fit_rows(
    encoder: Encoder,
    templates: TemplateSet,
    indexed: IndexedTemplates,
    old: Classifier | None = None,
) -> tuple[Classifier, TrainingRows, HeldOut]:
    """The classifier of the intents in alphabetical order, and what it was fitted on."""
    names, negations = sorted(indexed.intents), _negations(templates)
    maker = FeatureMaker(bucket_weights(encoder.background), negations)
    rows = make_examples(encoder, templates, indexed, names, maker)
    # Without the large mean of texts, for which the bias makes up, the solver needs a third of the
    # steps.
    outside = rows.features[rows.labels == NO_INTENT]
    center = (outside if len(outside) else rows.features).mean(axis=0)[:-1]
    rows.features[:, :-1] -= center
    weights = solve(rows, None if old is None else _start(names, old, center, bool(negations)))
    held_out = leave_one_out(rows, weights)
    calibration = calibrate(rows, held_out)
    weights[:, -1] -= weights[:, :-1] @ center
    fitted = Classifier(tuple(names), weights, calibration, maker.bucket_weights, negations)
    return fitted, rows, held_out


def _negations(templates: TemplateSet) -> frozenset[str]:
    """The negations of the set's language, if a counter-example of an intent is negated.

    The texts of ``none`` do not count: "never mind" negates no intent.
    """
    negations = negations_of(templates.language)
    texts = chain.from_iterable(intent.counter_examples for intent in templates.intents.values())
    return negations if any_negated(texts, negations) else frozenset()


def _start(
    names: Sequence[str], old: Classifier, center: FloatArray, has_negation: bool
) -> FloatArray:
    """The old weights of each intent, for features with the centre taken off; NaN if it is new."""
    weights = old.weights
    if has_negation and not old.negations:
        weights = np.insert(weights, -1, 0, axis=1)  # before the bias
    elif old.negations and not has_negation:
        weights = np.delete(weights, -2, axis=1)
    known = dict(zip(old.names, weights, strict=True))
    unknown = np.full(len(center) + 1, np.nan, np.float32)
    start: FloatArray = np.array([known.get(name, unknown) for name in names])
    start[:, -1] += start[:, :-1] @ center
    return start
