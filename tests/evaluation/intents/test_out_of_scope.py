from pathlib import Path

import pytest

from pocketintent.evaluation.intents.datasets import load_intent_data
from pocketintent.evaluation.intents.out_of_scope import evaluate_calibration, evaluate_out_of_scope
from pocketintent.runtime.decision.registry import DECISIONS
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError

OUTSIDE = ["freezing cold", "open the gate", "bye thanks"]


def test_report_has_each_figure_for_each_decision(
    tiny_encoder: StaticEncoder, intent_dir: Path
) -> None:
    steps: list[str] = []
    first, report = evaluate_out_of_scope(
        tiny_encoder, intent_dir, shots=[1, 3], runs=2, progress=steps.append
    )
    assert steps == ["1 templates"] * 2 + ["3 templates"] * 2
    assert (first["shots"], report["shots"]) == (1, 3)
    assert [report] == list(evaluate_out_of_scope(tiny_encoder, intent_dir, shots=[3], runs=2))
    assert (report["num_in_scope"], report["num_out_of_scope"]) == (7, 3)
    assert [row["decision"] for row in report["results"]] == list(DECISIONS)
    for row in report["results"]:
        assert row["auroc"]["mean"] > 0.5
        for figure in ("in_scope_accuracy", "in_scope_accepted", "oos_recall"):
            assert 0 <= row[figure]["mean"] <= 1


def test_chosen_decisions_are_measured_alone(tiny_encoder: StaticEncoder, intent_dir: Path) -> None:
    (whole,) = evaluate_out_of_scope(tiny_encoder, intent_dir, shots=[3], runs=2)
    (part,) = evaluate_out_of_scope(
        tiny_encoder, intent_dir, shots=[3], runs=2, decisions=["logistic"]
    )
    assert part["results"] == [row for row in whole["results"] if row["decision"] == "logistic"]
    with pytest.raises(PocketIntentError, match="unknown decision 'loudest'"):
        list(evaluate_out_of_scope(tiny_encoder, intent_dir, decisions=["loudest"]))


def test_every_text_of_every_draw_is_in_a_bin(
    tiny_encoder: StaticEncoder, intent_dir: Path
) -> None:
    data = load_intent_data(intent_dir)
    steps: list[str] = []
    report = evaluate_calibration(
        tiny_encoder, data, OUTSIDE, shots=[1, 3], runs=2, progress=steps.append
    )
    assert steps == ["1 templates"] * 2 + ["3 templates"] * 2
    assert (report["num_queries"], report["num_outside"], report["threshold"]) == (7, 3, 0.5)
    for shots, row in zip((1, 3), report["results"], strict=True):
        assert row["shots"] == shots
        assert 0 < row["accuracy"]["mean"] <= 5 / 7
        assert 0 <= row["ece_third"]["mean"] <= 1
        bins = row["bins"]
        assert [part["low"] for part in bins] == [position / 10 for position in range(10)]
        assert sum(part["in_scope"] for part in bins) == 2 * len(data.query_texts)
        assert sum(part["out_of_scope"] for part in bins) == 2 * len(OUTSIDE)
        num_right = sum(part["right"] for part in bins)
        assert num_right / 14 == pytest.approx(row["accuracy"]["mean"])
        for part in bins:
            assert (part["mean_score"] is None) == (part["in_scope"] == 0)
            if part["in_scope"]:
                assert part["low"] - 1e-6 <= part["mean_score"] <= part["high"] + 1e-6
    assert report == evaluate_calibration(tiny_encoder, data, OUTSIDE, shots=[1, 3], runs=2)


def test_invalid_settings_are_rejected(tiny_encoder: StaticEncoder, intent_dir: Path) -> None:
    data = load_intent_data(intent_dir)
    with pytest.raises(PocketIntentError, match="runs must be at least 1"):
        evaluate_calibration(tiny_encoder, data, OUTSIDE, runs=0)
    with pytest.raises(PocketIntentError, match="out-of-scope text"):
        evaluate_calibration(tiny_encoder, data, [], runs=1)
