import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent.evaluation.intents.scored_texts import (
    NUM_BINS,
    OUTSIDE_SHARES,
    ScoredTexts,
    choose_threshold,
    threshold_that_accepts,
)

SCORES = st.lists(st.integers(-10, 10), min_size=1, max_size=20)


def gain(texts: ScoredTexts, threshold: float) -> float:
    figures = texts.separated_at(threshold)
    return figures["in_scope_accuracy"] + figures["oos_recall"]


@given(SCORES, SCORES, st.integers(0, 1000))
def test_no_threshold_is_better_than_the_chosen_one(
    inside: list[int], outside: list[int], seed: int
) -> None:
    right = np.random.default_rng(seed).random(len(inside)) < 0.7
    texts = ScoredTexts(
        np.array(inside, np.float32) / 10, right, np.array(outside, np.float32) / 10
    )
    best = gain(texts, choose_threshold(texts))
    others = [gain(texts, threshold) for threshold in np.arange(-1.05, 1.0, 0.05)]
    assert best >= max(others) - 1e-9


def test_separable_scores_are_separated_without_error() -> None:
    texts = ScoredTexts(
        np.array([0.8, 0.9], np.float32), np.array([True, True]), np.array([0.2, 0.4], np.float32)
    )
    threshold = choose_threshold(texts)
    assert threshold == pytest.approx(0.6)
    assert texts.separated_at(threshold) == {
        "in_scope_accuracy": 1.0,
        "in_scope_accepted": 1.0,
        "oos_recall": 1.0,
    }


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


@given(st.lists(st.integers(0, 10), min_size=1, max_size=40), st.integers(0, 99))
def test_a_share_of_the_scores_reaches_the_threshold_and_more_a_lower_one(
    numbers: list[int], percent: int
) -> None:
    scores, share = np.array(numbers) / 10, percent / 100
    threshold = threshold_that_accepts(scores, share)
    assert (scores >= threshold).mean() <= share + 1e-6
    assert (scores >= np.nextafter(threshold, -1)).mean() > share - 1e-6
