from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pocketintent.runtime.decision.logistic.scorer import sigmoid
from pocketintent.runtime.decision.logistic.solver import (
    INTENTS_AT_ONCE,
    NO_INTENT,
    TOLERANCE,
    C,
    TrainingRows,
    solve,
)
from training_rows import make_rows


def gradients(rows: TrainingRows, weights: np.ndarray) -> np.ndarray:
    """The gradient of each intent's loss by the definition, in double precision."""
    features = rows.features.astype(np.float64)
    result = weights.astype(np.float64)
    result[:, -1] *= 1e-3
    for intent in range(rows.num_intents):
        counts = (rows.counter_examples == NO_INTENT) | (rows.counter_examples == intent)
        residual = sigmoid(features @ weights[intent]) - (rows.labels == intent)
        result[intent] += C * features.T @ (residual * counts)
    return result


@settings(max_examples=25)
@given(st.integers(1, 7), st.integers(1, 8), st.integers(0, 30), st.integers(0, 9))
def test_the_gradient_vanishes_at_the_solution(
    num_intents: int, per_intent: int, outside: int, seed: int
) -> None:
    rows = make_rows(num_intents, per_intent, outside, seed=seed)
    weights = solve(rows)
    assert weights.shape == (num_intents, 9) and weights.dtype == np.float32
    assert np.linalg.norm(gradients(rows, weights), axis=1).max() < TOLERANCE * 1.05


def test_the_solution_is_that_of_scikit_learn() -> None:
    linear_model = pytest.importorskip("sklearn.linear_model")
    rows = make_rows()
    weights = solve(rows)
    for intent in range(rows.num_intents):
        reference = linear_model.LogisticRegression(C=C, tol=1e-6, max_iter=1000)
        reference.fit(rows.features[:, :-1], rows.labels == intent)
        expected = reference.decision_function(rows.features[:, :-1])
        assert np.allclose(rows.features @ weights[intent], expected, atol=0.1)


def test_a_shift_of_the_features_changes_the_bias_alone() -> None:
    rows = make_rows()
    shift = np.append(np.arange(8, dtype=np.float32) / 8, np.float32(0))
    moved = replace(rows, features=rows.features - shift)
    assert np.allclose(solve(rows)[:, :-1], solve(moved)[:, :-1], atol=0.05)


def test_intents_are_solved_alike_in_blocks_and_alone() -> None:
    many = make_rows(num_intents=INTENTS_AT_ONCE + 3, per_intent=2, dim=12)
    weights = solve(many)
    labels = np.where(many.labels == INTENTS_AT_ONCE + 1, 0, NO_INTENT)
    alone = TrainingRows(many.features, labels, many.counter_examples, 1)
    assert np.allclose(solve(alone)[0], weights[INTENTS_AT_ONCE + 1], atol=TOLERANCE)


def test_a_start_near_the_solution_leads_to_it() -> None:
    rows = make_rows()
    weights = solve(rows)
    start = weights.copy()
    start[2] = np.nan
    nearer = solve(rows, weights)
    assert np.array_equal(solve(rows, nearer), nearer)
    assert np.allclose(nearer, weights, atol=2 * TOLERANCE)
    assert np.allclose(solve(rows, start), weights, atol=2 * TOLERANCE)


def test_a_counter_example_counts_against_its_intent_alone() -> None:
    rows = make_rows()
    against = rows.counter_examples.copy()
    against[-1] = 2
    with_one = solve(TrainingRows(rows.features, rows.labels, against, rows.num_intents))
    kept = rows.features[:-1], rows.labels[:-1], rows.counter_examples[:-1]
    without = solve(TrainingRows(*kept, rows.num_intents))
    plain = solve(rows)
    example = rows.features[-1]
    assert np.allclose(with_one[2], plain[2], atol=2 * TOLERANCE)
    for intent in (0, 1, 3, 4):
        assert np.allclose(with_one[intent], without[intent], atol=2 * TOLERANCE)
    assert with_one[2] @ example < without[2] @ example


def test_a_feature_that_an_intent_does_not_use_is_as_if_it_were_not_there() -> None:
    rows = make_rows()
    is_used = np.ones((9, rows.num_intents), np.bool_)
    is_used[3, [1, 4]] = False
    weights = solve(replace(rows, is_used=is_used), solve(rows))
    assert not weights[[1, 4], 3].any()

    others = [0, 2, 3]
    assert np.allclose(weights[others], solve(rows)[others], atol=2 * TOLERANCE)
    without = solve(replace(rows, features=np.delete(rows.features, 3, axis=1)))
    left = np.delete(weights, 3, axis=1)
    assert np.allclose(left[[1, 4]], without[[1, 4]], atol=2 * TOLERANCE)


def test_without_any_negative_row_the_weights_are_finite() -> None:
    rows = make_rows(num_intents=1, outside=0)
    weights = solve(rows)
    assert np.isfinite(weights).all()
    assert (rows.features @ weights[0] > 0).all()


def test_the_sigmoid_neither_overflows_nor_leaves_its_range() -> None:
    values = sigmoid(np.array([-1e30, -50, 0, 50, 1e30], np.float32))
    assert values[2] == 0.5 and (values >= 0).all() and (values <= 1).all()
