"""Few-shot intent recognition: draw templates, predict the queries, average over the draws."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from pocketintent.evaluation.intents.datasets import (
    Draw,
    IntentData,
    draw_templates,
    load_intent_data,
)
from pocketintent.evaluation.intents.table_search import EmbeddedTexts, search_table
from pocketintent.evaluation.metrics import accuracy, macro_f1, mean_and_std
from pocketintent.runtime.decision.matching import Decision
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.errors import PocketIntentError

DECISIONS = ("nearest", "nearest+centroid")
"""``nearest``: the intent of the template with the highest cosine, as in the thesis.
``nearest+centroid``: the mean of that and the cosine to the intent's centroid."""

SEARCHES = ("exact", "table")
"""``exact``: cosines in floating point. ``table``: the recogniser's quantised look-ups."""

_BLOCK = 512  # queries scored at once: bounds memory to block x templates floats


@dataclass(frozen=True)
class Prediction:
    """The labels that a system gives to the queries of one draw."""

    labels: NDArray[np.intp]
    """Predicted labels [num_queries]."""
    exact: NDArray[np.intp] | None = None
    """The labels of the exact search, where ``labels`` come from an approximate one."""


Predict = Callable[[Draw], dict[str, Prediction]]
"""From the templates of a draw to the predictions under each decision."""


class System(Protocol):
    """Anything that can be taught with templates and asked for intents."""

    def prepare(self, data: IntentData) -> Predict:
        """Do the work that all draws share, such as encoding the texts once."""
        ...


class EncoderSystem:
    """An encoder, its templates searched for the nearest.

    Args:
        encoder: Any encoder with unit-length embeddings.
        decisions: The decisions to measure, of ``DECISIONS``.
        search: ``"exact"``, or ``"table"`` for the recogniser's own quantised search.
    """

    def __init__(
        self, encoder: Encoder, decisions: Sequence[str] = DECISIONS, search: str = "exact"
    ) -> None:
        for decision in decisions:
            if decision not in DECISIONS:
                raise PocketIntentError(
                    f"unknown decision {decision!r}; choose of {', '.join(DECISIONS)}"
                )
        if search not in SEARCHES:
            raise PocketIntentError(f"unknown search {search!r}; choose of {', '.join(SEARCHES)}")
        self.encoder = encoder
        self.decisions = cast(tuple[Decision, ...], tuple(decisions))
        self.search = search

    def prepare(self, data: IntentData) -> Predict:
        """Encode the training texts and the queries once."""
        train = self.encoder.encode_batch(data.train_texts)
        queries = self.encoder.encode_batch(data.query_texts)
        embedded: EmbeddedTexts | None = None
        if self.search == "table":
            texts = data.train_texts + data.query_texts
            embedded = EmbeddedTexts(self.encoder, texts, np.concatenate([train, queries]))

        def predict(draw: Draw) -> dict[str, Prediction]:
            found = score_intents(queries, train[draw.indices], draw.starts, self.decisions)
            exact = {decision: labels for decision, (labels, _) in found.items()}
            if embedded is None:
                return {decision: Prediction(labels) for decision, labels in exact.items()}
            table = search_table(embedded, data, draw, self.decisions)
            return {name: Prediction(labels, exact[name]) for name, labels in table.items()}

        return predict


def unit_centroids(templates: Any, starts: NDArray[np.intp]) -> NDArray[np.float32]:
    """Unit-length mean of each intent's templates.

    Args:
        templates: Unit vectors float32 [num_templates, dim], those of an intent side by side.
        starts: Where each intent's templates start [num_intents].

    Returns:
        float32 [num_intents, dim]; a row of zeros where the templates cancel out.
    """
    sums: NDArray[np.float32] = np.add.reduceat(templates, starts, axis=0)
    norms: NDArray[np.float32] = np.linalg.norm(sums, axis=1, keepdims=True)
    norms[norms == 0] = 1
    return sums / norms


def score_intents(
    queries: NDArray[np.float32],
    templates: NDArray[np.float32],
    starts: NDArray[np.intp],
    decisions: Sequence[str] = DECISIONS,
) -> dict[str, tuple[NDArray[np.intp], NDArray[np.float32]]]:
    """The best intent of each query by exact cosine, and its score.

    Args:
        queries: Unit vectors float32 [num_queries, dim].
        templates: Unit vectors float32 [num_templates, dim], those of an intent side by side.
        starts: Where each intent's templates start [num_intents].
        decisions: Of ``DECISIONS``.

    Returns:
        For each decision labels [num_queries], of equal intents the first, and scores float32
        [num_queries] in -1..1: the cosine to the nearest template, or its mean with that to
        the centroid.
    """
    centroids = unit_centroids(templates, starts)
    found: dict[str, tuple[NDArray[np.intp], NDArray[np.float32]]] = {
        decision: (np.empty(len(queries), np.intp), np.empty(len(queries), np.float32))
        for decision in decisions
    }
    for first in range(0, len(queries), _BLOCK):
        block = slice(first, first + _BLOCK)
        nearest = np.maximum.reduceat(queries[block] @ templates.T, starts, axis=1)
        for decision, (labels, best) in found.items():
            scores = nearest
            if decision == "nearest+centroid":
                scores = (nearest + queries[block] @ centroids.T) / 2
            labels[block] = scores.argmax(axis=1)
            best[block] = scores.max(axis=1)
    return found


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
        shots: Numbers of templates of an intent.
        runs: Draws for each number.
        seed: Seed of the draws; equal seeds give every system equal templates.
        progress: Called after each draw.

    Yields:
        For each number of shots, in order, one row for each decision: ``{"shots",
        "decision", "accuracy", "macro_f1"}``, the last two as ``{"mean", "std"}``. Where the
        search is approximate, ``"exact_accuracy"`` and ``"differing"`` (the share of queries
        that the exact search gives another intent) too.
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
        yield [_row(number, decision, found, data) for decision, found in predictions.items()]


def _row(
    shots: int, decision: str, predictions: Sequence[Prediction], data: IntentData
) -> dict[str, Any]:
    gold = data.query_labels
    row: dict[str, Any] = {
        "shots": shots,
        "decision": decision,
        "accuracy": mean_and_std([accuracy(gold, found.labels) for found in predictions]),
        "macro_f1": mean_and_std([macro_f1(gold, found.labels) for found in predictions]),
    }
    pairs = [(found.labels, found.exact) for found in predictions if found.exact is not None]
    if pairs:
        row["exact_accuracy"] = mean_and_std([accuracy(gold, exact) for _, exact in pairs])
        row["differing"] = mean_and_std([1 - accuracy(exact, labels) for labels, exact in pairs])
    return row


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
) -> dict[str, Any]:
    """Few-shot accuracy and macro-F1 of an encoder on an intent data set.

    Args:
        encoder: Any encoder.
        directory: A folder with ``train.jsonl`` and the split's file.
        shots: Templates of each intent, one number or several.
        runs: Draws of templates for each number.
        split: ``"test"``, or ``"valid"`` for choosing settings.
        decisions: Of ``DECISIONS``.
        seed: Seed of the draws.
        search: ``"exact"``, or ``"table"`` for the recogniser's quantised search; its rows
            also have ``"exact_accuracy"`` and ``"differing"``.

    Returns:
        ``{"dataset", "split", "runs", "seed", "num_intents", "num_queries", "results"}``;
        ``results`` has one row for each number of shots and decision, see
        :func:`evaluate_system`.

    Raises:
        PocketIntentError: Bad data, or an unknown split, decision or search.
    """
    data = load_intent_data(directory, split)
    system = EncoderSystem(encoder, decisions, search)
    numbers = [shots] if isinstance(shots, int) else list(shots)
    rows = evaluate_system(system, data, shots=numbers, runs=runs, seed=seed)
    return {
        **describe(data, runs=runs, seed=seed),
        "search": search,
        "results": [row for group in rows for row in group],
    }


def describe(data: IntentData, *, runs: int, seed: int) -> dict[str, Any]:
    """What a result was measured on, as the head of its JSON."""
    return {
        "dataset": data.name,
        "split": data.split,
        "runs": runs,
        "seed": seed,
        "num_intents": data.num_trained,
        "num_queries": len(data.query_texts),
    }
