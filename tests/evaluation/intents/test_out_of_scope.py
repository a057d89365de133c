from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent.evaluation.intents.out_of_scope import (
    Answers,
    choose_threshold,
    evaluate_out_of_scope,
)
from pocketintent.runtime.decision.registry import DECISIONS
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError

SCORES = st.lists(st.integers(-10, 10), min_size=1, max_size=20)


def gain(answers: Answers, threshold: float) -> float:
    figures = answers.at(threshold)
    return figures["in_scope_accuracy"] + figures["oos_recall"]


@given(SCORES, SCORES, st.integers(0, 1000))
def test_no_threshold_is_better_than_the_chosen_one(
    inside: list[int], outside: list[int], seed: int
) -> None:
    right = np.random.default_rng(seed).random(len(inside)) < 0.7
    answers = Answers(np.array(inside, np.float32) / 10, right, np.array(outside, np.float32) / 10)
    best = gain(answers, choose_threshold(answers))
    others = [gain(answers, threshold) for threshold in np.arange(-1.05, 1.0, 0.05)]
    assert best >= max(others) - 1e-9


def test_separable_scores_are_separated_without_error() -> None:
    answers = Answers(
        np.array([0.8, 0.9], np.float32), np.array([True, True]), np.array([0.2, 0.4], np.float32)
    )
    threshold = choose_threshold(answers)
    assert threshold == pytest.approx(0.6)
    assert answers.at(threshold) == {
        "in_scope_accuracy": 1.0,
        "in_scope_accepted": 1.0,
        "oos_recall": 1.0,
    }


def test_report_has_each_figure_for_each_decision(
    tiny_encoder: StaticEncoder, intent_dir: Path
) -> None:
    steps: list[int] = []
    report = evaluate_out_of_scope(
        tiny_encoder, intent_dir, shots=3, runs=3, progress=lambda: steps.append(1)
    )
    assert len(steps) == 3
    assert (report["num_in_scope"], report["num_out_of_scope"]) == (7, 3)
    assert [row["decision"] for row in report["results"]] == list(DECISIONS)
    for row in report["results"]:
        assert row["auroc"]["mean"] > 0.5
        for figure in ("in_scope_accuracy", "in_scope_accepted", "oos_recall"):
            assert 0 <= row[figure]["mean"] <= 1


def test_chosen_decisions_are_measured_alone(tiny_encoder: StaticEncoder, intent_dir: Path) -> None:
    whole = evaluate_out_of_scope(tiny_encoder, intent_dir, shots=3, runs=2)["results"]
    part = evaluate_out_of_scope(tiny_encoder, intent_dir, shots=3, runs=2, decisions=["logistic"])[
        "results"
    ]
    assert part == [row for row in whole if row["decision"] == "logistic"]
    with pytest.raises(PocketIntentError, match="unknown decision 'loudest'"):
        evaluate_out_of_scope(tiny_encoder, intent_dir, decisions=["loudest"])
