"""Out-of-scope utterances: does the score tell them from those of a known intent?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketintent.evaluation.intents.datasets import draw_templates, load_intent_data
from pocketintent.evaluation.intents.few_shot import DECISIONS, score_intents
from pocketintent.evaluation.metrics import auroc, mean_and_std
from pocketintent.evaluation.records import read_utterances
from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.errors import PocketIntentError


@dataclass(frozen=True)
class Answers:
    """What a recogniser says to the queries of one split, before any threshold."""

    scores: FloatArray
    """Score of the best intent for each in-scope query."""
    right: NDArray[np.bool_]
    """Whether that intent is the gold one."""
    outside: FloatArray
    """Score of the best intent for each out-of-scope query."""

    def at(self, threshold: float) -> dict[str, float]:
        """The figures when a score under ``threshold`` gives no intent.

        Returns:
            ``in_scope_accuracy``: share of in-scope queries that are accepted with the right
            intent; ``in_scope_accepted``: share accepted at all; ``oos_recall``: share of
            out-of-scope queries that are turned away.
        """
        accepted = self.scores >= threshold
        return {
            "in_scope_accuracy": float(np.mean(accepted & self.right)),
            "in_scope_accepted": float(np.mean(accepted)),
            "oos_recall": float(np.mean(self.outside < threshold)),
        }


def choose_threshold(answers: Answers) -> float:
    """The threshold with the highest mean of in-scope accuracy and out-of-scope recall.

    Both kinds of query weigh the same, however many a data set has of each. An in-scope query
    that would be answered wrongly gains nothing by being accepted.

    Returns:
        A value half-way between two scores of the answers, or one that accepts or turns away
        all; of equally good ones the lowest.
    """
    scores = np.unique(np.concatenate([answers.scores, answers.outside]).astype(np.float64))
    middles = (scores[1:] + scores[:-1]) / 2
    candidates = np.concatenate([scores[:1], middles, scores[-1:] + 1e-6])
    right = np.sort(answers.scores[answers.right])
    outside = np.sort(answers.outside)
    kept = len(right) - np.searchsorted(right, candidates, side="left")
    turned_away = np.searchsorted(outside, candidates, side="left")
    gain = kept / len(answers.scores) + turned_away / len(outside)
    return float(candidates[gain.argmax()])


def evaluate_out_of_scope(
    encoder: Encoder,
    directory: str | Path,
    *,
    shots: int = 50,
    runs: int = 10,
    seed: int = 0,
    progress: Callable[[], None] | None = None,
) -> dict[str, Any]:
    """How well the score separates in-scope from out-of-scope queries.

    The threshold is chosen on ``valid`` and ``oos_valid`` and then used on ``test`` and
    ``oos_test``, so the figures hold for queries that did not choose it.

    Args:
        encoder: Any encoder.
        directory: A folder with ``train``, ``valid``, ``test``, ``oos_valid`` and ``oos_test``
            as ``.jsonl``; the last two with a null intent, as in CLINC150.
        shots: Templates of each intent.
        runs: Draws of templates.
        seed: Seed of the draws.
        progress: Called after each draw.

    Returns:
        ``{"dataset", "shots", "runs", "seed", "num_in_scope", "num_out_of_scope", "results"}``;
        ``results`` has for each decision its ``auroc`` (threshold-free, on test), the
        ``threshold`` that valid chose, and at it ``in_scope_accuracy``, ``in_scope_accepted``
        and ``oos_recall`` on test, each as ``{"mean", "std"}``. Scores are those of
        :attr:`Match.score`, -1..1.

    Raises:
        PocketIntentError: A file is missing or bad.
    """
    if runs < 1:
        raise PocketIntentError(f"runs must be at least 1, found {runs}")
    folder = Path(directory)
    splits = {split: load_intent_data(folder, split) for split in ("valid", "test")}
    outside = {
        split: encoder.encode_batch(
            [u.text for u in read_utterances(folder / f"oos_{split}.jsonl", out_of_scope=True)]
        )
        for split in splits
    }
    queries = {split: encoder.encode_batch(data.query_texts) for split, data in splits.items()}
    data = splits["test"]
    train = encoder.encode_batch(data.train_texts)
    figures: dict[str, list[dict[str, float]]] = {decision: [] for decision in DECISIONS}
    for run in range(runs):
        draw = draw_templates(data.train_labels, shots, run, seed)
        templates, starts = train[draw.indices], draw.starts
        inside = {split: score_intents(queries[split], templates, starts) for split in splits}
        far = {split: score_intents(outside[split], templates, starts) for split in splits}
        for decision, found in figures.items():
            valid, test = (
                Answers(
                    scores=inside[split][decision][1],
                    right=inside[split][decision][0] == splits[split].query_labels,
                    outside=far[split][decision][1],
                )
                for split in ("valid", "test")
            )
            threshold = choose_threshold(valid)
            area = auroc(test.scores, test.outside)
            found.append({"auroc": area, "threshold": threshold} | test.at(threshold))
        if progress is not None:
            progress()
    return {
        "dataset": data.name,
        "shots": shots,
        "runs": runs,
        "seed": seed,
        "num_in_scope": len(data.query_texts),
        "num_out_of_scope": len(outside["test"]),
        "results": [
            {"decision": decision}
            | {name: mean_and_std([figure[name] for figure in found]) for name in found[0]}
            for decision, found in figures.items()
        ],
    }
