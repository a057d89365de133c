"""Out-of-scope utterances: does the score separate them from in-scope utterances?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketintent.evaluation.intents.datasets import draw_templates, load_intent_data
from pocketintent.evaluation.intents.draw_scorers import (
    DrawScorers,
    EmbeddedTexts,
    check_decisions,
)
from pocketintent.evaluation.metrics import auroc, mean_and_std
from pocketintent.evaluation.records import read_utterances
from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.decision.registry import DECISIONS, Decision
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.errors import PocketIntentError


@dataclass(frozen=True)
class Answers:
    """The results of a recogniser on the queries of a split, before any threshold."""

    scores: FloatArray
    """Score of the best intent of each in-scope query."""
    right: NDArray[np.bool_]
    """Whether that intent is the gold intent."""
    outside: FloatArray
    """Score of the best intent of each out-of-scope query."""

    def at(self, threshold: float) -> dict[str, float]:
        """Return the figures when scores under ``threshold`` are rejected.

        Returns:
            ``in_scope_accuracy``, the share of in-scope queries that are accepted with the
            right intent; ``in_scope_accepted``, the share of in-scope queries that are
            accepted; ``oos_recall``, the share of out-of-scope queries that are rejected.
        """
        accepted = self.scores >= threshold
        return {
            "in_scope_accuracy": float(np.mean(accepted & self.right)),
            "in_scope_accepted": float(np.mean(accepted)),
            "oos_recall": float(np.mean(self.outside < threshold)),
        }


def choose_threshold(answers: Answers) -> float:
    """Choose the threshold with the highest mean of in-scope accuracy and out-of-scope recall.

    Both kinds of query have the same weight, however many there are of each. Accepting an
    in-scope query with the wrong intent gains nothing.

    Returns:
        A value half-way between two scores, or a value that accepts or rejects everything; the
        lowest of equally good values.
    """
    scores = np.unique(np.concatenate([answers.scores, answers.outside]).astype(np.float64))
    middles = (scores[1:] + scores[:-1]) / 2
    candidates = np.concatenate([scores[:1], middles, scores[-1:] + 1e-6])
    right = np.sort(answers.scores[answers.right])
    outside = np.sort(answers.outside)
    accepted = len(right) - np.searchsorted(right, candidates, side="left")
    rejected = np.searchsorted(outside, candidates, side="left")
    gain = accepted / len(answers.scores) + rejected / len(outside)
    return float(candidates[gain.argmax()])


def evaluate_out_of_scope(
    encoder: Encoder,
    directory: str | Path,
    *,
    shots: int = 50,
    runs: int = 10,
    decisions: Sequence[str] = DECISIONS,
    seed: int = 0,
    learn_names: bool = True,
    progress: Callable[[], None] | None = None,
) -> dict[str, Any]:
    """Measure how well the score separates in-scope from out-of-scope queries.

    The threshold is chosen on ``valid`` and ``oos_valid`` and applied to ``test`` and
    ``oos_test``, so the figures are measured on queries that did not determine it.

    Args:
        encoder: Any encoder.
        directory: A folder with ``train``, ``valid``, ``test``, ``oos_valid`` and ``oos_test``
            as ``.jsonl``; the intents of the last two are null, as in CLINC150.
        shots: Templates per intent.
        runs: Draws of templates.
        decisions: Names from ``DECISIONS``.
        seed: Seed of the draws.
        learn_names: Whether the decisions may learn the intents' names.
        progress: Called after each draw.

    Returns:
        ``{"dataset", "shots", "runs", "seed", "learn_names", "num_in_scope", "num_out_of_scope",
        "results"}``; ``results`` has for each decision the ``auroc`` on test, the ``threshold``
        chosen on valid, and ``in_scope_accuracy``, ``in_scope_accepted`` and ``oos_recall`` on test
        at this threshold, each as ``{"mean", "std"}``. Scores are those of ``Match.score``: 0..1
        for ``logistic``, otherwise -1..1.

    Raises:
        PocketIntentError: ``runs`` is below 1, a decision is unknown, or a file is missing or
            malformed.
    """
    if runs < 1:
        raise PocketIntentError(f"runs must be at least 1, found {runs}")
    folder, checked = Path(directory), check_decisions(decisions)
    splits = {
        split: load_intent_data(folder, split, learn_names=learn_names)
        for split in ("valid", "test")
    }
    outside = {
        split: [u.text for u in read_utterances(folder / f"oos_{split}.jsonl", out_of_scope=True)]
        for split in splits
    }
    data = splits["test"]
    queries = [splits[split].query_texts for split in splits]
    embedded = EmbeddedTexts(encoder, data.train_texts, *queries, *outside.values())
    figures: dict[Decision, list[dict[str, float]]] = {decision: [] for decision in checked}
    for run in range(runs):
        draw = draw_templates(data.train_labels, shots, run, seed)
        scorers = DrawScorers(embedded, data, draw, checked)
        inside = {split: scorers.answer(splits[split].query_texts) for split in splits}
        far = {split: scorers.answer(outside[split]) for split in splits}
        for decision, rows in figures.items():
            valid, test = (
                Answers(
                    scores=inside[split][decision].scores,
                    right=inside[split][decision].labels == splits[split].query_labels,
                    outside=far[split][decision].scores,
                )
                for split in ("valid", "test")
            )
            threshold = choose_threshold(valid)
            area = auroc(test.scores, test.outside)
            rows.append({"auroc": area, "threshold": threshold} | test.at(threshold))
        if progress is not None:
            progress()
    return {
        "dataset": data.name,
        "shots": shots,
        "runs": runs,
        "seed": seed,
        "learn_names": learn_names,
        "num_in_scope": len(data.query_texts),
        "num_out_of_scope": len(outside["test"]),
        "results": [
            {"decision": decision}
            | {name: mean_and_std([row[name] for row in rows]) for name in rows[0]}
            for decision, rows in figures.items()
        ],
    }
