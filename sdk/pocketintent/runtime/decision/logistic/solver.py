"""L2 logistic regression of many intents at once, one against the rest, in NumPy.

The problems share their features and differ in their labels alone, so that a gradient of all of
them is two matrix products. They are minimised side by side by L-BFGS (Liu and Nocedal 1989), each
with its own curvature pairs and step, and each is left out once its gradient is small.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray, IndexArray
from pocketintent.runtime.decision.logistic.scorer import sigmoid

C = 10.0
"""Weight of the logistic loss against half the squared length of the weights."""
TOLERANCE = 0.1
"""Length of the gradient at which an intent is solved. As the penalty bends the loss by 1 in each
direction, the weights are then within 0.1 of the best, and a probability in practice within 0.005.
"""
EDIT_TOLERANCE = 0.02
"""The same after an edit, so that the errors of many edits do not add up: scores of small
bots then differ by .007 at most from those of a fit from scratch, and by .013 with 0.1."""
MAX_STEPS = 200
MEMORY = 8
"""Pairs of steps and gradient changes from which L-BFGS estimates the curvature."""
INTENTS_AT_ONCE = 64
"""Intents solved side by side: their logits stay in the cache, and a thousand intents take no
more memory than 64."""

NO_INTENT = -1
"""Label of a row that belongs to no intent."""

_WEIGHT_SCALE = 0.5  # inverse curvature of a weight and of the bias, before there are pairs
_BIAS_SHARE = 0.002
_BIAS_PENALTY = 1e-3  # so small that the bias is free, and finite without any negative row

_Pair = tuple[FloatArray, FloatArray, FloatArray]
"""A step of each intent, the change of its gradient, and one over their product."""


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """The examples of all intents: the features of texts, and what each is an example of."""

    features: FloatArray
    """float32 [num_rows, num_features]; the last feature is 1, for the bias."""
    labels: IndexArray
    """intp [num_rows]: the intent of each row, or ``NO_INTENT``."""
    counter_examples: IndexArray
    """intp [num_rows]: the only intent that the row is an example against; ``NO_INTENT`` for a row
    that counts for all intents."""
    num_intents: int
    is_used: NDArray[np.bool_] | None = None
    """bool [num_features, num_intents]: whether an intent has a weight for a feature, which
    otherwise is zero; None if each has all."""
    is_name: NDArray[np.bool_] | None = None
    """bool [num_rows]: whether the row is the name of its intent rather than a text; None if no row
    is."""

    @property
    def is_template(self) -> NDArray[np.bool_]:
        """Whether each row is a template, bool [num_rows]."""
        is_own: NDArray[np.bool_] = self.labels != NO_INTENT
        return is_own if self.is_name is None else is_own & ~self.is_name


def solve(rows: TrainingRows, start: FloatArray | None = None) -> FloatArray:
    """The fitted weights of all intents, float32 [num_intents, num_features]; the last is the bias.

    ``start`` are those before an edit, with rows of NaN for new intents; None to start afresh.
    """
    weights = np.empty((rows.num_intents, rows.features.shape[1]), np.float32)
    for intents in blocks_of_intents(rows.num_intents):
        # Weights of zero, and the bias that fits the share of each intent.
        initial = np.zeros((rows.features.shape[1], len(intents)), np.float32)
        own = np.count_nonzero(rows.labels[:, None] == intents, axis=0)
        initial[-1] = np.log((own + 0.5) / (len(rows.labels) - own + 0.5))
        if start is not None:
            known = ~np.isnan(start[intents, 0])
            initial[:, known] = start[intents][known].T
            if rows.is_used is not None:
                initial *= rows.is_used[:, intents]
        tolerance = TOLERANCE if start is None else EDIT_TOLERANCE
        weights[intents] = _minimise(_Problem(rows, intents), initial, tolerance).T
    return weights


def blocks_of_intents(num_intents: int) -> Iterator[IndexArray]:
    """The numbers of the intents, in blocks of at most ``INTENTS_AT_ONCE``."""
    for first in range(0, num_intents, INTENTS_AT_ONCE):
        yield np.arange(first, min(first + INTENTS_AT_ONCE, num_intents))


class _Problem:
    """The losses of several intents."""

    def __init__(self, rows: TrainingRows, intents: IndexArray) -> None:
        self.features = rows.features
        self.targets: FloatArray = (rows.labels[:, None] == intents).astype(np.float32)
        self.counter_examples = np.flatnonzero(rows.counter_examples != NO_INTENT)
        against = rows.counter_examples[self.counter_examples]
        self.included: FloatArray = (against[:, None] == intents).astype(np.float32)
        self.is_used = None if rows.is_used is None else rows.is_used[:, intents]
        self.penalty = np.ones((self.features.shape[1], 1), np.float32)
        self.penalty[-1] = _BIAS_PENALTY

    def select(self, solved: NDArray[np.bool_]) -> None:
        """Leave out the intents that are solved."""
        self.targets = self.targets[:, ~solved]
        if self.is_used is not None:
            self.is_used = self.is_used[:, ~solved]
        self.included = self.included[:, ~solved]

    def residuals(self, logits: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Slope and curvature of the loss at each row, [num_rows, num_intents]."""
        probabilities = sigmoid(logits).astype(np.float32)
        curvature = probabilities * (1 - probabilities)
        slope = probabilities - self.targets
        if len(self.counter_examples):
            slope[self.counter_examples] *= self.included
            curvature[self.counter_examples] *= self.included
        return slope, curvature

    def gradient(self, weights: FloatArray, slope: FloatArray) -> FloatArray:
        """Gradient of the losses, [num_features, num_intents]."""
        gradient: FloatArray = self.features.T @ slope
        gradient *= np.float32(C)
        gradient += self.penalty * weights
        if self.is_used is not None:
            gradient *= self.is_used
        return gradient

    def step(self, weights: FloatArray, logits: FloatArray, direction: FloatArray) -> FloatArray:
        """How far to go in a direction: two Newton steps on the line, [num_intents]."""
        moved: FloatArray = self.features @ direction
        length = np.ones(direction.shape[1], np.float32)
        bend = _column_products(self.penalty * direction, direction)
        for _ in range(2):
            slope, curvature = self.residuals(logits + length * moved)
            first = np.float32(C) * _column_products(slope, moved)
            first += _column_products(self.penalty * (weights + length * direction), direction)
            second = np.float32(C) * _column_products(curvature * moved, moved) + bend
            length = np.clip(
                length - first / np.maximum(second, np.float32(1e-12)), 0.1 * length, 4 * length
            )
        logits += length * moved
        return length


def _minimise(problem: _Problem, weights: FloatArray, tolerance: float) -> FloatArray:
    """The weights at which the gradient is below the tolerance, [num_features, num_intents]."""
    result = weights.copy()
    logits: FloatArray = problem.features @ weights
    gradient = problem.gradient(weights, problem.residuals(logits)[0])
    scale = np.full_like(problem.penalty, _WEIGHT_SCALE)
    scale[-1] = 1 / (C * len(logits) * _BIAS_SHARE)
    active: IndexArray = np.arange(weights.shape[1])
    pairs = list[_Pair]()
    for _ in range(MAX_STEPS):
        solved = _column_products(gradient, gradient) < tolerance**2
        if solved.any():
            result[:, active[solved]] = weights[:, solved]
            active = active[~solved]
            weights, gradient, logits = (a[:, ~solved] for a in (weights, gradient, logits))
            pairs = [(s[:, ~solved], c[:, ~solved], i[~solved]) for s, c, i in pairs]
            problem.select(solved)
        if not len(active):
            return result
        direction = _direction(gradient, pairs, scale)
        length = problem.step(weights, logits, direction)
        step = length * direction
        weights = weights + step
        before, gradient = gradient, problem.gradient(weights, problem.residuals(logits)[0])
        change = gradient - before
        products = _column_products(step, change)
        # An intent whose gradient did not change along its step ignores the pair.
        inverse = np.where(products > 1e-12, 1 / np.maximum(products, 1e-12), 0)
        pairs = [*pairs[-MEMORY + 1 :], (step, change, inverse.astype(np.float32))]
    result[:, active] = weights
    return result


def _direction(gradient: FloatArray, pairs: list[_Pair], scale: FloatArray) -> FloatArray:
    """The direction of L-BFGS by its two loops, [num_features, num_intents]."""
    direction = -gradient
    shares = []
    for step, change, inverse in reversed(pairs):
        share = inverse * _column_products(step, direction)
        direction -= share * change
        shares.append(share)
    direction *= scale
    for (step, change, inverse), share in zip(pairs, reversed(shares), strict=True):
        direction += (share - inverse * _column_products(change, direction)) * step
    return direction


def _column_products(first: FloatArray, second: FloatArray) -> FloatArray:
    """Dot product of each column with the same column of another matrix."""
    products: FloatArray = np.einsum("nk,nk->k", first, second)
    return products
