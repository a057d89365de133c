"""Intent recognition with random typing errors in the queries, for several encoders."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from pocketintent.evaluation.intents.datasets import Draw, IntentData, draw_templates
from pocketintent.evaluation.intents.draw_scorers import (
    DrawScorers,
    EmbeddedTexts,
    check_decisions,
)
from pocketintent.evaluation.intents.few_shot import describe
from pocketintent.evaluation.metrics import accuracy, macro_f1, mean_and_std
from pocketintent.runtime.arrays import IndexArray
from pocketintent.runtime.decision.registry import DECISIONS, Decision
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.corpora.typing_errors import add_typing_errors


def misspell(texts: Sequence[str], count: int, *, run: int = 0, seed: int = 0) -> list[str]:
    """Add ``count`` random typing errors to each text.

    The errors of a text depend only on the seed, the run and its position. They are nested: the
    text with two errors is the text with one error plus another.

    Args:
        texts: Any strings.
        count: Errors per text, at least 0; see :func:`add_typing_errors`.
        run: Number of the run; every run has other errors.
        seed: Seed of all runs, at least 0.

    Returns:
        The misspelt texts, in the same order.
    """
    if count == 0:
        return list(texts)
    return [
        add_typing_errors(text, count, np.random.default_rng([seed, run, position]))
        for position, text in enumerate(texts)
    ]


def evaluate_typing_errors(
    encoders: Mapping[str, Encoder],
    data: IntentData,
    *,
    shots: int = 10,
    errors: Sequence[int] = (0, 1, 2, 3),
    runs: int = 2,
    decisions: Sequence[str] = DECISIONS,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> dict[str, Any]:
    """Measure intent recognition against the number of typing errors in each query.

    The templates stay clean. All encoders get the same templates and the same errors.

    Args:
        encoders: Encoders by their names in the report.
        data: The data set.
        shots: Templates per intent.
        errors: Numbers of typing errors per query, at least 0.
        runs: Draws of templates and of errors.
        decisions: Names from ``DECISIONS``.
        seed: Seed of the draws, at least 0.
        progress: Called with the name of the encoder after each of its runs.

    Returns:
        ``{"dataset", "split", "runs", "seed", "num_intents", "num_queries", "shots",
        "results"}``; ``results`` has a row for each encoder, number of errors and decision:
        ``{"system", "errors", "decision", "accuracy", "macro_f1"}``, the last two as
        ``{"mean", "std"}`` over the runs.

    Raises:
        PocketIntentError: A number is out of range, a number of errors is repeated, or a
            decision is unknown.
    """
    _check(shots, errors, runs, seed)
    checked = check_decisions(decisions)
    draws = [draw_templates(data.train_labels, shots, run, seed) for run in range(runs)]
    queries = {
        (run, count): misspell(data.query_texts, count, run=run, seed=seed)
        for run in range(runs)
        for count in errors
    }
    rows: list[dict[str, Any]] = []
    for name, encoder in encoders.items():
        predictions: dict[tuple[int, str], list[IndexArray]] = {
            (count, decision): [] for count in errors for decision in decisions
        }
        for draw in draws:
            texts = {count: queries[draw.run, count] for count in errors}
            for key, labels in _predict(encoder, data, draw, texts, checked).items():
                predictions[key].append(labels)
            if progress is not None:
                progress(name)
        rows.extend(_row(name, key, predicted, data) for key, predicted in predictions.items())
    return {**describe(data, runs=runs, seed=seed), "shots": shots, "results": rows}


def _check(shots: int, errors: Sequence[int], runs: int, seed: int) -> None:
    for name, value, least in (("shots", shots, 1), ("runs", runs, 1), ("seed", seed, 0)):
        if value < least:
            raise PocketIntentError(f"{name} must be at least {least}, found {value}")
    if not errors or min(errors) < 0 or len(set(errors)) < len(errors):
        raise PocketIntentError(
            "errors must be different numbers, at least 0, found "
            f"{', '.join(map(str, errors)) or 'none'}"
        )


def _predict(
    encoder: Encoder,
    data: IntentData,
    draw: Draw,
    queries: Mapping[int, list[str]],
    decisions: Sequence[Decision],
) -> dict[tuple[int, str], IndexArray]:
    """Predict the labels of the queries of one draw, by number of errors and decision."""
    templates = [data.train_texts[index] for index in draw.indices]
    embedded = EmbeddedTexts(encoder, templates, *queries.values())
    scorers = DrawScorers(embedded, data, draw, decisions)
    return {
        (count, decision): best.labels
        for count, texts in queries.items()
        for decision, best in scorers.answer(texts).items()
    }


def _row(
    name: str, key: tuple[int, str], predicted: Sequence[IndexArray], data: IntentData
) -> dict[str, Any]:
    gold = data.query_labels
    return {
        "system": name,
        "errors": key[0],
        "decision": key[1],
        "accuracy": mean_and_std([accuracy(gold, labels) for labels in predicted]),
        "macro_f1": mean_and_std([macro_f1(gold, labels) for labels in predicted]),
    }
