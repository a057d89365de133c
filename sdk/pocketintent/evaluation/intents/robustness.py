"""Intent recognition with random typing errors in the queries, for several encoders at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketintent.evaluation.intents.datasets import Draw, IntentData, draw_templates
from pocketintent.evaluation.intents.few_shot import DECISIONS, describe, score_intents
from pocketintent.evaluation.metrics import accuracy, macro_f1, mean_and_std
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.text.typing_errors import add_typing_errors

Labels = NDArray[np.intp]


def misspell(texts: Sequence[str], count: int, *, run: int = 0, seed: int = 0) -> list[str]:
    """Each text with ``count`` random typing errors.

    What is drawn for a text depends on the seed, the run and its place alone. The errors are
    nested: a text with two has the one error of the text with one, and another.

    Args:
        texts: Any strings.
        count: Errors in each, from 0; see :func:`add_typing_errors`.
        run: Number of the run; each has its own errors.
        seed: Seed of all runs, from 0.

    Returns:
        The texts in their order.
    """
    if count == 0:
        return list(texts)
    return [
        add_typing_errors(text, count, np.random.default_rng([seed, run, place]))
        for place, text in enumerate(texts)
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
    """Accuracy of intent recognition against the typing errors in each query.

    The templates stay clean. All encoders see the same templates and the same errors.

    Args:
        encoders: Encoders by the names that the report gives them.
        data: The data set.
        shots: Templates of each intent.
        errors: Numbers of typing errors in each query, from 0.
        runs: Draws of templates and of errors.
        decisions: Of :data:`pocketintent.evaluation.intents.few_shot.DECISIONS`.
        seed: Seed of the draws, from 0.
        progress: Called after each run of an encoder, with its name.

    Returns:
        ``{"dataset", "split", "runs", "seed", "num_intents", "num_queries", "shots",
        "results"}``; ``results`` has a row for each encoder, number of errors and decision:
        ``{"system", "errors", "decision", "accuracy", "macro_f1"}``, the last two as
        ``{"mean", "std"}`` over the runs.

    Raises:
        PocketIntentError: A number is out of its range or stands twice, or a decision is
            unknown.
    """
    _check(shots, errors, runs, decisions, seed)
    draws = [draw_templates(data.train_labels, shots, run, seed) for run in range(runs)]
    queries = {
        (run, count): misspell(data.query_texts, count, run=run, seed=seed)
        for run in range(runs)
        for count in errors
    }
    rows: list[dict[str, Any]] = []
    for name, encoder in encoders.items():
        found: dict[tuple[int, str], list[Labels]] = {
            (count, decision): [] for count in errors for decision in decisions
        }
        for draw in draws:
            texts = {count: queries[draw.run, count] for count in errors}
            for key, labels in _predict(encoder, data, draw, texts, decisions).items():
                found[key].append(labels)
            if progress is not None:
                progress(name)
        rows.extend(_row(name, key, predicted, data) for key, predicted in found.items())
    return {**describe(data, runs=runs, seed=seed), "shots": shots, "results": rows}


def _check(
    shots: int, errors: Sequence[int], runs: int, decisions: Sequence[str], seed: int
) -> None:
    for name, value, least in (("shots", shots, 1), ("runs", runs, 1), ("seed", seed, 0)):
        if value < least:
            raise PocketIntentError(f"{name} must be at least {least}, found {value}")
    if not errors or min(errors) < 0 or len(set(errors)) < len(errors):
        raise PocketIntentError(
            f"errors must be different numbers from 0, found {', '.join(map(str, errors)) or '-'}"
        )
    for decision in decisions:
        if decision not in DECISIONS:
            raise PocketIntentError(
                f"unknown decision {decision!r}; choose of {', '.join(DECISIONS)}"
            )


def _predict(
    encoder: Encoder,
    data: IntentData,
    draw: Draw,
    queries: Mapping[int, list[str]],
    decisions: Sequence[str],
) -> dict[tuple[int, str], Labels]:
    """The labels of the queries of one draw, by their number of errors and the decision."""
    templates = encoder.encode_batch([data.train_texts[index] for index in draw.indices])
    return {
        (count, decision): labels
        for count, texts in queries.items()
        for decision, (labels, _) in score_intents(
            encoder.encode_batch(texts), templates, draw.starts, decisions
        ).items()
    }


def _row(
    name: str, key: tuple[int, str], predicted: Sequence[Labels], data: IntentData
) -> dict[str, Any]:
    gold = data.query_labels
    return {
        "system": name,
        "errors": key[0],
        "decision": key[1],
        "accuracy": mean_and_std([accuracy(gold, labels) for labels in predicted]),
        "macro_f1": mean_and_std([macro_f1(gold, labels) for labels in predicted]),
    }
