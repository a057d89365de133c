"""Few-shot evaluation: draw templates, predict the queries, average over the draws."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from pocketintent.evaluation.intents.datasets import IntentData, draw_templates, load_intent_data
from pocketintent.evaluation.intents.systems import EncoderSystem, Prediction, System
from pocketintent.evaluation.metrics import accuracy, macro_f1, mean_and_std
from pocketintent.runtime.decision.registry import DECISIONS
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.errors import PocketIntentError


def evaluate_intents(
    encoder: Encoder,
    directory: str | Path,
    *,
    shots: int | Sequence[int],
    runs: int = 10,
    split: str = "test",
    decisions: Sequence[str] = DECISIONS,
    seed: int = 0,
    search: str = "exact",
    learn_names: bool = True,
) -> dict[str, Any]:
    """Measure few-shot accuracy and macro-F1 of an encoder on an intent data set.

    Args:
        encoder: Any encoder.
        directory: A folder with ``train.jsonl`` and the split's file.
        shots: Templates per intent, one number or several.
        runs: Draws of templates for each number.
        split: ``"test"``, or ``"valid"`` for choosing settings.
        decisions: Names from ``DECISIONS``.
        seed: Seed of the draws.
        search: ``"exact"``, or ``"table"`` for the recogniser's quantised search, whose rows
            also have ``"exact_accuracy"`` and ``"differing"``.
        learn_names: Whether the decisions may learn the intents' names.

    Returns:
        ``{"dataset", "split", "runs", "seed", "num_intents", "num_queries", "learn_names",
        "search", "results"}``; ``results`` has one row for each number of shots and decision, see
        :func:`evaluate_system`.

    Raises:
        PocketIntentError: The data is malformed, or the split, a decision or the search is
            unknown.
    """
    data = load_intent_data(directory, split, learn_names=learn_names)
    system = EncoderSystem(encoder, decisions, search)
    numbers = [shots] if isinstance(shots, int) else list(shots)
    rows = evaluate_system(system, data, shots=numbers, runs=runs, seed=seed)
    return {
        **describe(data, runs=runs, seed=seed),
        "search": search,
        "results": [row for group in rows for row in group],
    }


def evaluate_system(
    system: System,
    data: IntentData,
    *,
    shots: Sequence[int],
    runs: int = 10,
    seed: int = 0,
    progress: Callable[[], None] | None = None,
) -> Iterator[list[dict[str, Any]]]:
    """Measure a system at each number of templates, over several draws.

    Args:
        system: The system.
        data: The data set.
        shots: Numbers of templates per intent.
        runs: Draws for each number.
        seed: Seed of the draws; with equal seeds all systems get the same templates.
        progress: Called after each draw.

    Yields:
        For each number of shots, in order, one row per decision: ``{"shots", "decision",
        "accuracy", "macro_f1"}``, the last two as ``{"mean", "std"}``. If the search is
        approximate, also ``"exact_accuracy"`` and ``"differing"``, the share of queries to
        which the exact search assigns another intent.

    Raises:
        PocketIntentError: ``runs`` is below 1.
    """
    if runs < 1:
        raise PocketIntentError(f"runs must be at least 1, found {runs}")
    predict = system.prepare(data)
    for number in shots:
        predictions: dict[str, list[Prediction]] = {}
        for run in range(runs):
            draw = draw_templates(data.train_labels, number, run, seed)
            for decision, prediction in predict(draw).items():
                predictions.setdefault(decision, []).append(prediction)
            if progress is not None:
                progress()
        yield [_row(number, decision, group, data) for decision, group in predictions.items()]


def describe(data: IntentData, *, runs: int, seed: int) -> dict[str, Any]:
    """Return the head of a report: the data set and the draws that it was measured on."""
    return {
        "dataset": data.name,
        "split": data.split,
        "runs": runs,
        "seed": seed,
        "num_intents": data.num_trained,
        "num_queries": len(data.query_texts),
        "learn_names": data.learn_names,
    }


def _row(
    shots: int, decision: str, predictions: Sequence[Prediction], data: IntentData
) -> dict[str, Any]:
    gold = data.query_labels
    row: dict[str, Any] = {
        "shots": shots,
        "decision": decision,
        "accuracy": mean_and_std([accuracy(gold, p.labels) for p in predictions]),
        "macro_f1": mean_and_std([macro_f1(gold, p.labels) for p in predictions]),
    }
    pairs = [(p.labels, p.exact) for p in predictions if p.exact is not None]
    if pairs:
        row["exact_accuracy"] = mean_and_std([accuracy(gold, exact) for _, exact in pairs])
        row["differing"] = mean_and_std([1 - accuracy(exact, labels) for labels, exact in pairs])
    return row
