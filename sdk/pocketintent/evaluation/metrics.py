"""Metrics: correlation, accuracy, macro-F1, AUROC, and mean and deviation over runs.

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
