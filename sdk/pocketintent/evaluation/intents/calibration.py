"""Calibration: is the score of ``logistic`` the probability that the intent is right?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketintent.evaluation.intents.datasets import IntentData, draw_templates
from pocketintent.evaluation.intents.draw_scorers import DrawScorers, EmbeddedTexts
from pocketintent.evaluation.intents.few_shot import describe
from pocketintent.evaluation.metrics import auroc, mean_and_std
from pocketintent.evaluation.records import read_utterances
from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.decision.registry import Decision
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.errors import PocketIntentError

NUM_BINS = 10
"""Bins of equal width, of scores from 0 to 1."""
OUTSIDE_SHARES = {"third": 1 / 3, "half": 1 / 2, "none": 0.0}
"""Assumed shares of out-of-scope texts, however many were measured. The calibration of a
recogniser assumes a third."""

_DECISION: Decision = "logistic"


@dataclass(frozen=True, eq=False)
class ScoredTexts:
    """The best intents of in-scope and out-of-scope texts."""

    scores: FloatArray
    """float32 [num_inside]: score of the best intent of each in-scope text, 0..1."""
    right: NDArray[np.bool_]
    """bool [num_inside]: whether that intent is the gold intent."""
    outside: FloatArray
    """float32 [num_outside]: score of the best intent of each out-of-scope text, 0..1."""

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


def read_outside_texts(path: str | Path) -> list[str]:
    """Read out-of-scope texts, lines of ``{"text", "intent": null}``.

    Raises:
        PocketIntentError: The file cannot be read, is empty, or a line is malformed.
    """
    return [utterance.text for utterance in read_utterances(path, out_of_scope=True)]


def evaluate_calibration(
    encoder: Encoder,
    data: IntentData,
    outside: Sequence[str],
    *,
    shots: Sequence[int] = (5, 10, 30),
    runs: int = 10,
    seed: int = 0,
    threshold: float = 0.5,
    progress: Callable[[str], None] | None = None,
) -> dict[str, Any]:
    """Measure whether the scores of the decision ``logistic`` are probabilities.

    The templates are quantised, as in a recogniser by default.

    Args:
        encoder: Any encoder.
        data: The data set.
        outside: Out-of-scope texts, at least one.
        shots: Numbers of templates per intent.
        runs: Draws of templates for each number.
        seed: Seed of the draws.
        threshold: Scores under it are refused.
        progress: Called with the number of templates after each draw.

    Returns:
        ``{"dataset", "split", "runs", "seed", "num_intents", "num_queries", "num_outside",
        "decision", "threshold", "results"}``; ``results`` has a row for each number of shots:
        ``shots``, the figures of :meth:`ScoredTexts.at` as ``{"mean", "std"}``, and ``bins``,
        a list of ``{"low", "high", "in_scope", "right", "mean_score", "out_of_scope",
        "mean_outside_score"}`` with the texts of all draws; a mean without texts is null.

    Raises:
        PocketIntentError: ``runs`` is below 1, or there is no out-of-scope text.
    """
    if runs < 1:
        raise PocketIntentError(f"runs must be at least 1, found {runs}")
    if not outside:
        raise PocketIntentError("calibration is measured with at least one out-of-scope text")
    embedded = EmbeddedTexts(encoder, data.train_texts, data.query_texts, outside)
    rows = []
    for number in shots:
        figures: list[dict[str, float]] = []
        bins = np.zeros((NUM_BINS, 5))
        for run in range(runs):
            draw = draw_templates(data.train_labels, number, run, seed)
            scorers = DrawScorers(embedded, data, draw, [_DECISION], "table")
            texts = _score(scorers, data, outside)
            figures.append(texts.at(threshold))
            bins += texts.bins()
            if progress is not None:
                progress(f"{number} templates")
        means = {name: mean_and_std([row[name] for row in figures]) for name in figures[0]}
        rows.append({"shots": number, **means, "bins": _describe_bins(bins)})
    return {
        **describe(data, runs=runs, seed=seed),
        "num_outside": len(outside),
        "decision": _DECISION,
        "threshold": threshold,
        "results": rows,
    }


def _score(scorers: DrawScorers, data: IntentData, outside: Sequence[str]) -> ScoredTexts:
    inside = scorers.answer(data.query_texts)[_DECISION]
    far = scorers.answer(outside)[_DECISION]
    return ScoredTexts(inside.scores, inside.labels == data.query_labels, far.scores)


def _bin_sums(scores: FloatArray, values: NDArray[Any]) -> NDArray[np.float64]:
    """The sum of values in each bin of their scores, float64 [NUM_BINS]."""
    bins = np.minimum((scores * NUM_BINS).astype(np.intp), NUM_BINS - 1)
    return np.bincount(bins, values.astype(np.float64), NUM_BINS).astype(np.float64)


def _describe_bins(bins: NDArray[np.float64]) -> list[dict[str, Any]]:
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
