"""From logits to probabilities: Platt's sigmoid on the examples, each left out of its fit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.decision.logistic.leave_one_out import HeldOut
from pocketintent.runtime.decision.logistic.solver import NO_INTENT, TrainingRows, sigmoid

OUTSIDE_SHARE = 0.5
"""Weight of all texts without an intent together, where that of all templates is 1: a bot is
assumed to get one text in three that is not for it."""

_PRIOR = np.array([1.5, 4.0])
_PRIOR_WITHOUT_OUTSIDE = np.array([1.0, 0.0])
_PRECISION = np.array([0.1, 0.05])
"""Slope and intercept that hold as long as nothing can be learned from the examples, such as with
one template for each intent, and how much each weighs: less than one template. Against a background
the logits of a small bot are low, hence the intercept."""
_LEAST_SLOPE, _MOST_SLOPE = 0.2, 5.0
_MAX_STEPS = 100


@dataclass(frozen=True)
class Calibration:
    """``sigmoid(slope * logit + intercept)`` is the probability that an intent is right."""

    slope: float
    """From 0.2 to 5, so that the order of intents stays."""
    intercept: float


def calibrate(rows: TrainingRows, held_out: HeldOut) -> Calibration:
    """Fit the probability that the best intent of a text is the right one.

    The examples are the templates, each with the best intent of classifiers fitted without it, and
    the texts without an intent, whose best intent is always wrong (Platt 1999). An intent with one
    template has none to recognise that template by, so the template is not an example, and a bot of
    such intents has the prior. Without any text that has no intent, each template is also taken as
    one, as if its own intent were missing.

    Args:
        rows: The rows that the classifier was fitted on.
        held_out: Their best intents, by :func:`leave_one_out`.
    """
    sizes = np.bincount(rows.labels[rows.labels != NO_INTENT], minlength=rows.num_intents)
    is_template = rows.labels != NO_INTENT
    is_template &= sizes[rows.labels] > 1
    is_outside = (rows.labels == NO_INTENT) & (rows.counter_examples == NO_INTENT)
    prior = _PRIOR if is_outside.any() else _PRIOR_WITHOUT_OUTSIDE
    if not is_template.any():
        return Calibration(*prior.tolist())
    outside = held_out.logits[is_outside]
    if not len(outside):
        outside = held_out.others[np.isfinite(held_out.others)]
    inside = held_out.logits[is_template]
    is_right = (held_out.intents == rows.labels)[is_template]
    weight = OUTSIDE_SHARE * len(inside) / max(len(outside), 1)
    return _fit(
        np.concatenate([inside, outside]).astype(np.float64),
        np.concatenate([is_right, np.zeros(len(outside), bool)]),
        np.concatenate([np.ones(len(inside)), np.full(len(outside), weight)]),
        prior,
    )


def _fit(
    logits: NDArray[np.float64],
    is_right: NDArray[np.bool_],
    weights: NDArray[np.float64],
    prior: NDArray[np.float64],
) -> Calibration:
    """Minimise the weighted logistic loss with the prior by Newton steps that never go uphill."""
    inputs = np.stack([logits, np.ones_like(logits)])

    def loss(values: NDArray[np.float64]) -> float:
        outputs = values @ inputs
        losses = np.logaddexp(0, outputs) - is_right * outputs
        return float(weights @ losses + 0.5 * _PRECISION @ (values - prior) ** 2)

    values, least = prior, loss(prior)
    for _ in range(_MAX_STEPS):
        probabilities = sigmoid(values @ inputs)
        gradient = inputs @ (weights * (probabilities - is_right)) + _PRECISION * (values - prior)
        curvature = weights * probabilities * (1 - probabilities)
        step = np.linalg.solve((inputs * curvature) @ inputs.T + np.diag(_PRECISION), gradient)
        while (lower := loss(values - step)) > least and np.abs(step).max() > 1e-9:
            step /= 2
        if lower >= least:
            break
        values, least = values - step, lower
    slope, intercept = values.tolist()
    return Calibration(min(max(slope, _LEAST_SLOPE), _MOST_SLOPE), intercept)
