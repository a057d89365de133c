from dataclasses import replace

import numpy as np
import pytest

from pocketintent.runtime.decision.logistic import calibration
from pocketintent.runtime.decision.logistic.calibration import SHARE, leave_one_out
from pocketintent.runtime.decision.logistic.solver import NO_INTENT, TrainingRows, solve
from training_rows import make_rows


def _without(rows: TrainingRows, row: int) -> TrainingRows:
    kept = np.arange(len(rows.labels)) != row
    parts = rows.features[kept], rows.labels[kept], rows.counter_examples[kept]
    return TrainingRows(*parts, rows.num_intents)


def test_logits_are_near_those_of_a_fit_without_the_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibration, "SHARE", 1.0)
    rows = make_rows(per_intent=10, outside=40)
    weights = solve(rows)
    held_out = leave_one_out(rows, weights)
    fitted = (rows.features @ weights.T).max(axis=1)
    changes, errors = [], []
    for row in range(0, len(rows.labels), 3):
        refitted = float((solve(_without(rows, row), weights) @ rows.features[row]).max())
        changes.append(abs(refitted - fitted[row]))
        errors.append(abs(refitted - held_out.best[row]))
    assert np.mean(errors) < 0.35 * np.mean(changes)


def test_a_template_scores_less_without_itself_and_a_negative_row_more() -> None:
    rows = make_rows()
    weights = solve(rows)
    held_out = leave_one_out(rows, weights)
    logits = rows.features @ weights.T
    outside = rows.labels == NO_INTENT
    assert (held_out.best[outside] >= logits[outside].max(axis=1) - 1e-4).all()
    own = logits[~outside, rows.labels[~outside]]
    assert (held_out.own[~outside] <= own + 1e-4).all()
    assert np.isneginf(held_out.own[outside]).all()


def test_the_best_other_intent_is_never_the_own_one() -> None:
    rows = make_rows()
    held_out = leave_one_out(rows, solve(rows))
    weights = solve(rows)
    logits = rows.features @ weights.T
    inside = rows.labels != NO_INTENT
    logits[inside, rows.labels[inside]] = -np.inf
    # A row pushes the logits of other intents down, so that without it they are higher.
    assert (held_out.others >= logits.max(axis=1) - 1e-4).all()
    assert np.array_equal(held_out.best, np.maximum(held_out.own, held_out.others))
    alone = make_rows(num_intents=1)
    others = leave_one_out(alone, solve(alone)).others
    assert np.isneginf(others[alone.labels == 0]).all()


def test_a_feature_that_an_intent_does_not_use_changes_nothing() -> None:
    rows = make_rows(num_intents=2)
    weights = solve(rows)
    weights[:, 3] = 0
    is_used = np.ones((9, 2), np.bool_)
    is_used[3] = False
    without = replace(rows, features=np.delete(rows.features, 3, axis=1))
    expected = leave_one_out(without, np.delete(weights, 3, axis=1)).best
    logits = leave_one_out(replace(rows, is_used=is_used), weights).best
    assert np.allclose(logits, expected, atol=1e-4)


def test_a_share_of_the_change_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = make_rows(num_intents=1)
    weights = solve(rows)
    plain = (rows.features @ weights.T)[:, 0]
    part = leave_one_out(rows, weights).best - plain
    monkeypatch.setattr(calibration, "SHARE", 1.0)
    whole = leave_one_out(rows, weights).best - plain
    assert np.allclose(part, SHARE * whole, atol=1e-4)


def test_the_work_for_an_intent_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []
    inverse = np.linalg.inv

    def count(matrix: np.ndarray) -> np.ndarray:
        sizes.append(len(matrix))
        return inverse(matrix)

    monkeypatch.setattr(np.linalg, "inv", count)
    rows = make_rows(num_intents=3, per_intent=5, outside=900)
    leave_one_out(rows, solve(rows))
    assert len(sizes) == 3 and max(sizes) <= calibration.MOST_MEMBERS
