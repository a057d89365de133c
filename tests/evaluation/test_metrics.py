import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics as sklearn_metrics

from pocketintent.evaluation.metrics import (
    accuracy,
    auroc,
    kendall,
    macro_f1,
    mean_and_std,
    pearson,
    ranks,
    spearman,
    wrong_order,
)

VALUES = st.lists(st.integers(-5, 5).map(float), min_size=3, max_size=30)
LABELS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=60)


@given(VALUES)
def test_ranks_equal_scipy(values: list[float]) -> None:
    np.testing.assert_allclose(ranks(values), stats.rankdata(values))


@given(VALUES, st.randoms(use_true_random=False))
def test_correlations_equal_scipy(values: list[float], random: object) -> None:
    other = list(values)
    random.shuffle(other)  # type: ignore[attr-defined]
    assume(len(set(values)) > 1)
    assert pearson(values, other) == pytest.approx(stats.pearsonr(values, other)[0], abs=1e-9)
    assert spearman(values, other) == pytest.approx(stats.spearmanr(values, other)[0], abs=1e-9)


@given(VALUES)
def test_a_correlation_is_never_beyond_one(values: list[float]) -> None:
    assume(len(set(values)) > 1)
    for sign in (1, -1):
        other = [sign * value for value in values]
        taus = kendall(values, other)
        assert taus[0] == sign
        assert all(abs(r) <= 1 for r in (pearson(values, other), spearman(values, other), *taus))


def test_correlation_with_a_constant_is_not_a_number() -> None:
    assert math.isnan(pearson([1.0, 1.0, 1.0], [1.0, 2.0, 3.0]))
    assert math.isnan(spearman([1.0, 2.0, 3.0], [0.0, 0.0, 0.0]))


@given(LABELS)
def test_accuracy_and_macro_f1_equal_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    gold, predicted = np.array(pairs).T
    expected = sklearn_metrics.f1_score(gold, predicted, average="macro", zero_division=0)
    assert macro_f1(gold, predicted) == pytest.approx(expected)
    assert accuracy(gold, predicted) == pytest.approx(
        sklearn_metrics.accuracy_score(gold, predicted)
    )


@given(VALUES, VALUES)
def test_auroc_equals_scikit_learn(positive: list[float], negative: list[float]) -> None:
    truth = [1] * len(positive) + [0] * len(negative)
    expected = sklearn_metrics.roc_auc_score(truth, positive + negative)
    assert auroc(positive, negative) == pytest.approx(expected)


def test_auroc_of_an_empty_side_is_not_a_number() -> None:
    assert math.isnan(auroc([], [1.0]))


def test_the_deviation_is_the_sample_standard_deviation() -> None:
    assert mean_and_std([1.0, 3.0]) == {"mean": 2.0, "std": pytest.approx(math.sqrt(2))}
    assert mean_and_std([4.0]) == {"mean": 4.0, "std": 0.0}


@given(VALUES, st.randoms(use_true_random=False))
def test_kendall_equals_scipy(values: list[float], random: object) -> None:
    other = [value // 2 for value in values]
    random.shuffle(other)  # type: ignore[attr-defined]
    assume(len(set(values)) > 1 and len(set(other)) > 1)
    tau_b, tau_c = kendall(values, other)
    assert tau_b == pytest.approx(stats.kendalltau(values, other)[0], abs=1e-9)
    assert tau_c == pytest.approx(stats.kendalltau(values, other, variant="c")[0], abs=1e-9)


def test_kendall_of_a_constant_is_not_a_number() -> None:
    assert all(map(math.isnan, kendall([1.0, 1.0], [1.0, 2.0])))


@given(VALUES, VALUES)
def test_wrong_order_counts_pairs(high: list[float], low: list[float]) -> None:
    assert wrong_order(high, low) == sum(a <= b for a in high for b in low)
