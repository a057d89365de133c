"""Metrics: correlations, accuracy, macro-F1, AUROC, and mean and deviation over runs.

NumPy alone, so that ``evaluate sts``, ``intents``, ``oos`` and ``typing-errors``, and the quality
report of ``compress``, run without the extra ``evaluate``. The tests compare each function with
SciPy or scikit-learn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pocketintent.runtime.arrays import IndexArray


def ranks(values: ArrayLike) -> NDArray[np.float64]:
    """Return the ranks of ``values`` [n], counted from 1; ties share their mean rank."""
    _, inverse, counts = np.unique(np.asarray(values), return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    mean_rank: NDArray[np.float64] = last - (counts - 1) / 2.0
    return mean_rank[inverse]


def pearson(x: ArrayLike, y: ArrayLike) -> float:
    """Pearson correlation of two sequences [n]; NaN if either is constant."""
    a = np.asarray(x, dtype=np.float64)
    b = np.asarray(y, dtype=np.float64)
    if len(a) < 2 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return float("nan")
    return float(np.corrcoef(a, b)[0, 1])


def spearman(x: ArrayLike, y: ArrayLike) -> float:
    """Spearman rank correlation of two sequences [n]; NaN if either is constant."""
    return pearson(ranks(x), ranks(y))


def kendall(x: ArrayLike, y: ArrayLike) -> tuple[float, float]:
    """Kendall rank correlations of two sequences [n]; NaN if either is constant.

    Returns:
        Tau b, which corrects for ties, and Stuart's tau c, which also corrects for a different
        number of distinct values in the two sequences.
    """
    a, b = ranks(x), ranks(y)
    n, levels = len(a), min(len(np.unique(a)), len(np.unique(b)))
    if levels < 2:
        return float("nan"), float("nan")
    order = np.argsort(b, kind="stable")
    difference = _concordant_minus_discordant(a[order], b[order])
    untied = [n * (n - 1) / 2 - _ties(ranking) for ranking in (a, b)]
    # Two roots may each round down, and tau b then exceed 1; the root of the product does not.
    tau_b = difference / float(np.sqrt(untied[0] * untied[1]))
    return tau_b, 2 * difference / (n * n * (levels - 1) / levels)


def _ties(values: NDArray[np.float64]) -> float:
    """Number of pairs of equal values."""
    _, counts = np.unique(values, return_counts=True)
    return float((counts * (counts - 1) // 2).sum())


def _concordant_minus_discordant(a: NDArray[np.float64], b: NDArray[np.float64]) -> int:
    """Pairs in which ``a`` and ``b`` have the same order less those with opposite orders.

    Args:
        a: Any values [n].
        b: Values in rising order [n]; pairs of equal values count for nothing.
    """
    if not len(b) or b[0] == b[-1]:
        return 0
    # Halves that do not cut through equal values of b: all pairs across them count.
    middle = int(np.searchsorted(b, b[len(b) // 2]))
    if middle == 0:
        middle = int(np.searchsorted(b, b[0], "right"))
    low, high = np.sort(a[:middle]), a[middle:]
    below = int(np.searchsorted(low, high, "left").sum())
    above = int((len(low) - np.searchsorted(low, high, "right")).sum())
    halves = ((a[:middle], b[:middle]), (a[middle:], b[middle:]))
    return below - above + sum(_concordant_minus_discordant(*half) for half in halves)


def wrong_order(high: ArrayLike, low: ArrayLike) -> int:
    """Number of pairs of a value that should be high and one that should be low, but is not lower.

    Args:
        high: Values [n] that should be high.
        low: Values [m] that should be low.
    """
    ordered = np.sort(np.asarray(low))
    return int((len(ordered) - np.searchsorted(ordered, np.asarray(high), "left")).sum())


def accuracy(gold: IndexArray, predicted: IndexArray) -> float:
    """Share of queries whose predicted label equals the gold label."""
    return float(np.mean(gold == predicted))


def macro_f1(gold: IndexArray, predicted: IndexArray) -> float:
    """Mean F1 over the labels that occur in ``gold`` or in ``predicted``.

    A label that is never predicted, or never predicted correctly, has an F1 of 0. Equals
    scikit-learn's ``f1_score(average="macro", zero_division=0)``.
    """
    size = int(max(gold.max(), predicted.max())) + 1
    true_positives = np.bincount(gold[gold == predicted], minlength=size)
    occurrences = np.bincount(gold, minlength=size) + np.bincount(predicted, minlength=size)
    present = occurrences > 0
    return float(np.mean(2.0 * true_positives[present] / occurrences[present]))


def auroc(positive: ArrayLike, negative: ArrayLike) -> float:
    """Area under the ROC curve: the probability that a positive score exceeds a negative one.

    Args:
        positive: Scores [n] that should be high.
        negative: Scores [m] that should be low.

    Returns:
        A value from 0 to 1; ties count half. NaN if either side is empty.
    """
    high = np.asarray(positive, dtype=np.float64)
    low = np.asarray(negative, dtype=np.float64)
    if len(high) == 0 or len(low) == 0:
        return float("nan")
    rank_sum = float(ranks(np.concatenate([high, low]))[: len(high)].sum())
    return (rank_sum - len(high) * (len(high) + 1) / 2.0) / (len(high) * len(low))


def mean_and_std(values: Sequence[float]) -> dict[str, Any]:
    """Return ``{"mean", "std"}``; the sample standard deviation of a single value is 0."""
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
    return {"mean": float(np.mean(values)), "std": spread}
