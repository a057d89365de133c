"""From logits to probabilities: Platt's sigmoid on the examples, each left out of its fit."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.decision.logistic.scorer import Calibration, sigmoid
from pocketintent.runtime.decision.logistic.solver import (
    NO_INTENT,
    C,
    TrainingRows,
    blocks_of_intents,
)

OUTSIDE_SHARE = 0.5
"""Weight of all texts without an intent together, where that of all templates is 1: a bot is
assumed to get one text in three that is not for it."""

FEW_OUTSIDE = 100
"""Number of texts without an intent below which the threshold of :func:`expected_sigmoid` does not
apply: a bot with so few has no background, and its logits lie higher."""
_WEIGHT, _WEIGHT_OF_INTENT = 40.0, 45.0
_OFFSETS = np.array([-4.0, -2.0, 0.0, 2.0, 4.0])
_LEAST_SLOPE, _MOST_SLOPE = 0.2, 5.0
_MAX_STEPS = 100
_RIDGE = 1e-6
_NEAR_TIE = 0.25  # far above the difference of two fits of the same rows

LEAST_CURVATURE = 0.03
"""Curvature of the loss at an example below which leaving it out changes nothing that counts."""
MOST_MEMBERS, LEAST_MEMBERS, ALL_MEMBERS = 400, 64, 12_000
"""Examples of an intent that are left out in turn, those of the highest curvature: at most 400,
and as long as they are more than 64, at most 12,000 of all intents together."""
SHARE = 0.85
"""Share of the change by leaving out an example that counts. The templates of a bot differ from
each other more than the texts that it gets differ from them, above all where they were written to
be varied, so that the whole change makes probabilities too low."""

_BIAS_VARIANCE = 100.0  # stands for a free bias
_LEAST_SHARE = 1e-3


@dataclass(frozen=True, eq=False)
class HeldOut:
    """The best intents of each row, by the logits of classifiers fitted without that row."""

    own: FloatArray
    """float32 [num_rows]: the logit of the row's own intent; -inf for a row without an intent."""
    others: FloatArray
    """float32 [num_rows]: the highest logit of another intent; -inf if there is none."""

    @property
    def best(self) -> FloatArray:
        """The highest logit of all intents, float32 [num_rows]."""
        return np.maximum(self.own, self.others)


def leave_one_out(rows: TrainingRows, weights: FloatArray) -> HeldOut:
    """The best intents of each row without the row itself, by one Newton step from the fit.

    Leaving a row with the features x out of a fit with the Hessian H changes its logit by
    ``h g / (1 - h d)``, where ``h = x' H^-1 x``, and g and d are the slope and the curvature of its
    loss (approximate leave-one-out; Rad and Maleki 2020). ``1 - h d`` is an entry of
    the diagonal of ``(I + D^1/2 K D^1/2)^-1``, with the products K and the curvatures D of the
    rows, so that a matrix of the rows that matter takes the place of H; ``SHARE`` of the change is
    taken. On CLINC150, BANKING77 and SNIPS the whole change leads within 0.2 of the logits of a
    refit on average, where leaving out takes 1.3 to 3.2. ``weights`` are those of :func:`solve`.
    """
    num_rows = len(rows.labels)
    most = min(MOST_MEMBERS, max(LEAST_MEMBERS, ALL_MEMBERS // rows.num_intents))
    own = np.full(num_rows, -np.inf, np.float32)
    others = np.full(num_rows, -np.inf, np.float32)
    for intents in blocks_of_intents(rows.num_intents):
        logits = rows.features @ weights[intents].T
        for column, intent in enumerate(intents.tolist()):
            held_out = _leave_out(rows, logits[:, column], intent, most)
            is_own = rows.labels == intent
            own[is_own] = held_out[is_own]
            np.maximum(others, held_out, out=others, where=~is_own)
    return HeldOut(own, others)


def _leave_out(rows: TrainingRows, logits: FloatArray, intent: int, most: int) -> FloatArray:
    """The logits of one intent, each without its row, float32 [num_rows]."""
    is_own = rows.labels == intent
    probabilities = sigmoid(logits)
    curvature = C * probabilities * (1 - probabilities)
    # Counter-examples of others do not count for the intent.
    counts = (rows.counter_examples == NO_INTENT) | (rows.counter_examples == intent)
    members = np.flatnonzero(counts & ((curvature > LEAST_CURVATURE) | is_own))
    if len(members) > most:
        members = np.sort(members[np.argsort(-curvature[members], kind="stable")[:most]])
    features = rows.features[members, :-1]
    if rows.is_used is not None:
        features *= rows.is_used[:-1, intent]
    roots = np.sqrt(np.maximum(curvature[members], 1e-6)).astype(np.float32)
    matrix = (features @ features.T + np.float32(_BIAS_VARIANCE)) * np.outer(roots, roots)
    matrix[np.diag_indices(len(members))] += 1
    shares = np.maximum(np.linalg.inv(matrix).diagonal(), _LEAST_SHARE)
    own = np.where(is_own[members], -probabilities[members], 1 - probabilities[members])
    held_out = logits.copy()
    changes = (1 / shares - 1) / np.where(np.abs(own) > 1e-6, own, 1e-6)
    held_out[members] += np.float32(SHARE) * changes
    return held_out


@dataclass(frozen=True, eq=False)
class CalibrationExamples:
    """The logits that a calibration is fitted on, each of a classifier fitted without its text."""

    num_intents: int
    num_templates: float
    """Mean of an intent."""
    inside: FloatArray
    """float32 [num_inside]: the highest logit of each template that another is left for."""
    is_right: FloatArray
    """float32 [num_inside]: whether it is that of the own intent, 0..1."""
    outside: FloatArray
    """float32 [num_outside]: the highest logit of each text without an intent."""
    others: FloatArray
    """float32 [num_others]: the highest logit of another intent, of the templates that have one."""


def calibration_examples(rows: TrainingRows, held_out: HeldOut) -> CalibrationExamples:
    """The examples of a bot, see :func:`calibrate`."""
    is_template = rows.is_template
    sizes = np.bincount(rows.labels[is_template], minlength=rows.num_intents)
    is_template &= sizes[rows.labels] > 1
    is_outside = (rows.labels == NO_INTENT) & (rows.counter_examples == NO_INTENT)
    # Whether the best intent is the own one, between 0 and 1 where two logits are so near each
    # other that the rounding of a fit decides. A step there would move the calibration, and so all
    # scores, where a fit from the old weights and one from scratch differ in nothing else.
    lead = held_out.own[is_template] - held_out.others[is_template]
    return CalibrationExamples(
        rows.num_intents,
        sizes.mean(),
        held_out.best[is_template],
        np.clip(0.5 + lead / (2 * _NEAR_TIE), 0, 1),
        held_out.best[is_outside],
        held_out.others[is_template & np.isfinite(held_out.others)],
    )


def calibrate(rows: TrainingRows, held_out: HeldOut) -> Calibration:
    """Fit the probability that the best intent of a text is the right one.

    The examples are the templates, each with the best intent of classifiers fitted without it, and
    the texts without an intent, whose best intent is always wrong (Platt 1999). The only template
    of an intent is no example, as nothing is left to recognise it by; nor is a name. Without any
    text that has no intent, each template is also taken as one, as if its own intent were missing.

    The examples of a small bot say little. The sigmoid that bots of its size have on average
    (:func:`expected_sigmoid`) therefore counts as 40 more examples, and 45 / k^2 more for each
    intent with k templates: the fewer an intent has, the more it changes when one is left out.
    """
    examples = calibration_examples(rows, held_out)
    expected, weight = Calibration(1.0, 0.0), 1.0
    if len(examples.outside) >= FEW_OUTSIDE:
        num_templates = examples.num_templates
        expected = expected_sigmoid(examples.num_intents, num_templates)
        weight = _WEIGHT + _WEIGHT_OF_INTENT * examples.num_intents / num_templates**2
    return fit_calibration(examples, expected, weight)


def fit_calibration(
    examples: CalibrationExamples, expected: Calibration, weight: float
) -> Calibration:
    """Fit the sigmoid of the examples, where an expected one counts as ``weight`` examples more."""
    outside = examples.outside if len(examples.outside) else examples.others
    inside = examples.inside
    share = OUTSIDE_SHARE * len(inside) / max(len(outside), 1)
    return fit_sigmoid(
        np.concatenate([inside, outside, (_OFFSETS - expected.intercept) / expected.slope]),
        np.concatenate([examples.is_right, np.zeros(len(outside)), sigmoid(_OFFSETS)]),
        np.repeat([1.0, share, weight / len(_OFFSETS)], [len(inside), len(outside), len(_OFFSETS)]),
        expected,
    )


def expected_sigmoid(num_intents: int, num_templates: float) -> Calibration:
    """The calibration that a bot of some size needs on average, against a background.

    The logit at which half of the answers are right rises with the numbers of intents and of
    templates, and hardly depends on anything else. The formula was chosen on the validation
    utterances of CLINC150, BANKING77 and SNIPS, for bots of 3 to 150 intents with 3 to 30
    templates drawn from the training utterances, and on bots written by hand, whose more varied
    templates need a threshold .8 below that of drawn ones. Bots of one and two intents have the
    threshold of three, or ``default`` would accept .087 and .067 of texts on other subjects in
    place of .022 and .040. ``num_templates`` is the mean of an intent, at least 1.
    """
    size = math.log(max(num_intents, 3))
    slope = max(2.4 - 0.2 * size, 1.0)
    threshold = -5.9 + 0.5 * size + 0.9 * math.log(num_templates)
    return Calibration(slope, -slope * threshold)


def fit_sigmoid(
    logits: NDArray[np.floating],
    targets: NDArray[np.floating],
    weights: NDArray[np.float64],
    start: Calibration,
) -> Calibration:
    """Minimise the weighted logistic loss, with a slope from 0.2 to 5.

    All arrays are [num_examples]; a target is the probability that an example should have, 0..1.
    """
    inputs = np.stack([logits.astype(np.float64), np.ones(len(logits))])
    values = np.array([start.slope, start.intercept])
    slope, intercept = _minimise(inputs, np.zeros(len(logits)), targets, weights, values).tolist()
    if not _LEAST_SLOPE <= slope <= _MOST_SLOPE:
        slope = min(max(slope, _LEAST_SLOPE), _MOST_SLOPE)
        values = np.array([intercept])
        intercept = _minimise(inputs[1:], slope * inputs[0], targets, weights, values).item()
    return Calibration(slope, intercept)


def _minimise(
    inputs: NDArray[np.float64],
    fixed: NDArray[np.float64],
    targets: NDArray[np.floating],
    weights: NDArray[np.float64],
    values: NDArray[np.float64],
) -> NDArray[np.float64]:
    """The coefficients of the inputs, [num_inputs, num_examples], at the least weighted loss.

    Newton steps from ``values`` are halved until they do not go uphill. ``fixed`` is the part of
    the outputs that is given, [num_examples].
    """

    def loss(values: NDArray[np.float64]) -> float:
        outputs = fixed + values @ inputs
        return float(weights @ (np.logaddexp(0, outputs) - targets * outputs))

    least = loss(values)
    for _ in range(_MAX_STEPS):
        probabilities = sigmoid(fixed + values @ inputs)
        gradient = inputs @ (weights * (probabilities - targets))
        curvature = weights * probabilities * (1 - probabilities)
        # The ridge is for logits so far away that the loss is flat there.
        bends = (inputs * curvature) @ inputs.T + _RIDGE * np.eye(len(values))
        step = np.linalg.solve(bends, gradient)
        while (lower := loss(values - step)) > least and np.abs(step).max() > 1e-9:
            step /= 2
        if lower >= least:
            break
        values, least = values - step, lower
    return values
