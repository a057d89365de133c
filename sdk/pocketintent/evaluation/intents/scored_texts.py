"""Scored texts: what a threshold refuses and accepts, and whether scores are probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketintent.evaluation.metrics import auroc
from pocketintent.runtime.arrays import FloatArray

NUM_BINS = 10
"""Bins of equal width, of scores from 0 to 1."""
OUTSIDE_SHARES = {"third": 1 / 3, "half": 1 / 2, "none": 0.0}
"""Assumed shares of out-of-scope texts, however many were measured. The calibration of a
recogniser assumes a third."""


@dataclass(frozen=True, eq=False)
class ScoredTexts:
    """The best intents of in-scope and out-of-scope texts, before any threshold."""

    scores: FloatArray
    """float32 [num_inside]: score of the best intent of each in-scope text, 0..1 for `logistic`."""
    right: NDArray[np.bool_]
    """bool [num_inside]: whether that intent is the gold intent."""
    outside: FloatArray
    """float32 [num_outside]: score of the best intent of each out-of-scope text."""

    def at(self, threshold: float) -> dict[str, float]:
        """The figures when scores under ``threshold`` are refused, and the calibration errors.

        Returns:
            ``accuracy``, the share of in-scope texts whose best intent is right, whatever its
            score; ``right_and_accepted`` and ``in_scope_refused``, shares of the in-scope texts;
            ``out_of_scope_accepted``, a share of the out-of-scope texts; ``auroc``, the
            probability that an in-scope text scores higher than an out-of-scope text; and
            ``ece_third``, ``ece_half`` and ``ece_none``, see :meth:`calibration_error`, with the
            shares of ``OUTSIDE_SHARES``.
        """
        accepted = self.scores >= threshold
        return {
            "accuracy": float(self.right.mean()),
            "right_and_accepted": float((accepted & self.right).mean()),
            "in_scope_refused": float(1 - accepted.mean()),
            "out_of_scope_accepted": float((self.outside >= threshold).mean()),
            "auroc": auroc(self.scores, self.outside),
            **{
                f"ece_{name}": self.calibration_error(share)
                for name, share in OUTSIDE_SHARES.items()
            },
        }

    def separated_at(self, threshold: float) -> dict[str, float]:
        """What a threshold does to the two kinds of texts.

        Returns:
            ``in_scope_accuracy``, the share of in-scope texts that are accepted with the right
            intent; ``in_scope_accepted``, the share of in-scope texts that are accepted;
            ``oos_recall``, the share of out-of-scope texts that are refused.
        """
        accepted = self.scores >= threshold
        return {
            "in_scope_accuracy": float(np.mean(accepted & self.right)),
            "in_scope_accepted": float(np.mean(accepted)),
            "oos_recall": float(np.mean(self.outside < threshold)),
        }

    def calibration_error(self, outside_share: float) -> float:
        """Expected calibration error over ``NUM_BINS`` bins of equal width.

        It is the mean over the bins of the distance between the mean score and the share of
        right intents, weighted by the bins' share of the texts (Guo et al. 2017). No intent is
        right for an out-of-scope text.

        Args:
            outside_share: Weight of all out-of-scope texts together, 0..1; the in-scope texts
                have the rest.
        """
        inside = _bin_sums(self.scores, self.right - self.scores) / len(self.scores)
        outside = _bin_sums(self.outside, -self.outside) / len(self.outside)
        gaps = (1 - outside_share) * inside + outside_share * outside
        return float(np.abs(gaps).sum())

    def bins(self) -> NDArray[np.float64]:
        """Counts and sums of the bins, float64 [NUM_BINS, 5].

        Returns:
            For each bin the number of in-scope texts, of those with the right intent, and the sum
            of their scores; the number of out-of-scope texts, and the sum of their scores.
        """
        columns = [
            _bin_sums(self.scores, np.ones_like(self.scores)),
            _bin_sums(self.scores, self.right),
            _bin_sums(self.scores, self.scores),
            _bin_sums(self.outside, np.ones_like(self.outside)),
            _bin_sums(self.outside, self.outside),
        ]
        return np.stack(columns, axis=1)


def choose_threshold(texts: ScoredTexts) -> float:
    """Choose the threshold with the highest mean of in-scope accuracy and out-of-scope recall.

    Both kinds of query have the same weight, however many there are of each. Accepting an
    in-scope query with the wrong intent gains nothing.

    Returns:
        A value half-way between two scores, or a value that accepts or rejects everything; the
        lowest of equally good values.
    """
    scores = np.unique(np.concatenate([texts.scores, texts.outside]).astype(np.float64))
    middles = (scores[1:] + scores[:-1]) / 2
    candidates = np.concatenate([scores[:1], middles, scores[-1:] + 1e-6])
    right = np.sort(texts.scores[texts.right])
    outside = np.sort(texts.outside)
    accepted = len(right) - np.searchsorted(right, candidates, side="left")
    rejected = np.searchsorted(outside, candidates, side="left")
    gain = accepted / len(texts.scores) + rejected / len(outside)
    return float(candidates[gain.argmax()])


def threshold_that_accepts(outside: NDArray[np.floating], share: float) -> float:
    """The lowest threshold that at most a share of scores, 0..1, at least one, reaches."""
    highest = np.sort(outside.astype(np.float64))[::-1]
    return float(np.nextafter(highest[int(share * len(highest) + 1e-9)], np.inf))


def _bin_sums(scores: FloatArray, values: NDArray[Any]) -> NDArray[np.float64]:
    """The sum of values in each bin of their scores, float64 [NUM_BINS]."""
    bins = np.minimum((scores * NUM_BINS).astype(np.intp), NUM_BINS - 1)
    return np.bincount(bins, values.astype(np.float64), NUM_BINS).astype(np.float64)


def describe_bins(bins: NDArray[np.float64]) -> list[dict[str, Any]]:
    """The bins of a report, from the sums of :meth:`ScoredTexts.bins`."""
    return [
        {
            "low": position / NUM_BINS,
            "high": (position + 1) / NUM_BINS,
            "in_scope": int(inside),
            "right": int(right),
            "mean_score": total / inside if inside else None,
            "out_of_scope": int(outside),
            "mean_outside_score": outside_total / outside if outside else None,
        }
        for position, (inside, right, total, outside, outside_total) in enumerate(bins.tolist())
    ]
