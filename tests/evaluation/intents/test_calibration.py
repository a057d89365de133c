from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent.evaluation.intents.calibration import (
    NUM_BINS,
    OUTSIDE_SHARES,
    ScoredTexts,
    evaluate_calibration,
)
from pocketintent.evaluation.intents.datasets import load_intent_data
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError

OUTSIDE = ["freezing cold", "open the gate", "bye thanks"]


def scored(scores: list[float], right: list[bool], outside: list[float]) -> ScoredTexts:
    return ScoredTexts(np.array(scores, np.float32), np.array(right), np.array(outside, np.float32))


def plain_error(texts: ScoredTexts, outside_share: float) -> float:
    """The expected calibration error, text by text."""
    rows = [
        (float(score), bool(right), (1 - outside_share) / len(texts.scores))
        for score, right in zip(texts.scores, texts.right, strict=True)
    ]
    rows += [(float(score), False, outside_share / len(texts.outside)) for score in texts.outside]
    error = 0.0
    for low in range(NUM_BINS):
        part = [row for row in rows if min(int(np.float32(row[0]) * NUM_BINS), 9) == low]
        weight = sum(row[2] for row in part)
        if weight:
            mean_score = sum(row[0] * row[2] for row in part) / weight
            share_right = sum(row[1] * row[2] for row in part) / weight
            error += weight * abs(mean_score - share_right)
    return error


@given(st.integers(0, 10_000), st.sampled_from(sorted(OUTSIDE_SHARES.values())))
def test_the_calibration_error_equals_a_plain_loop(seed: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    scores = rng.random(rng.integers(1, 40)).astype(np.float32)
    outside = rng.random(rng.integers(1, 40)).astype(np.float32)
    texts = ScoredTexts(scores, rng.random(len(scores)) < scores, outside)
    assert texts.calibration_error(share) == pytest.approx(plain_error(texts, share), abs=1e-6)


def test_scores_that_are_right_as_often_as_they_claim_have_no_error() -> None:
    texts = scored([0.75] * 4 + [0.05], [True, True, True, False, False], [0.05])
    assert texts.calibration_error(0.0) == pytest.approx(0.05 / 5, abs=1e-6)
    sure = scored([1.0, 1.0], [True, True], [0.0])
    assert [sure.calibration_error(share) for share in OUTSIDE_SHARES.values()] == [0, 0, 0]
    assert scored([1.0], [False], [1.0]).calibration_error(0.5) == 1


def test_figures_count_refused_and_accepted_texts() -> None:
    texts = scored([0.9, 0.6, 0.4, 0.3], [True, False, True, False], [0.7, 0.2, 0.1, 0.5])
    figures = texts.at(0.5)
    assert figures["accuracy"] == 0.5
    assert figures["right_and_accepted"] == 0.25
    assert figures["in_scope_refused"] == 0.5
    assert figures["out_of_scope_accepted"] == 0.5
    assert figures["auroc"] == (4 + 3 + 2 + 2) / 16
    assert texts.at(0.0)["in_scope_refused"] == 0
    assert texts.at(1.0)["out_of_scope_accepted"] == 0


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
