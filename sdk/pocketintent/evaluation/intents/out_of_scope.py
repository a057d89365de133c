"""Texts on other subjects: what the score tells of them, and whether it is a probability."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pocketintent.evaluation.intents.datasets import IntentData, draw_templates, load_intent_data
from pocketintent.evaluation.intents.draw_scorers import (
    DrawScorers,
    EmbeddedTexts,
    check_decisions,
)
from pocketintent.evaluation.intents.few_shot import describe
from pocketintent.evaluation.intents.scored_texts import (
    ScoredTexts,
    choose_threshold,
    describe_bins,
)
from pocketintent.evaluation.metrics import auroc, mean_and_std
from pocketintent.evaluation.records import read_outside_texts
from pocketintent.runtime.decision.registry import DECISIONS, Decision
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.index.building import Search

_CALIBRATED: Decision = "logistic"
_SPLITS = ("valid", "test")


def score_draws(
    encoder: Encoder,
    splits: Sequence[IntentData],
    outside: Sequence[Sequence[str]],
    *,
    shots: Sequence[int],
    runs: int,
    seed: int,
    decisions: Sequence[Decision],
    search: Search,
    progress: Callable[[str], None] | None,
) -> Iterator[tuple[int, list[dict[Decision, list[ScoredTexts]]]]]:
    """Score in-scope and out-of-scope texts by the templates of random draws.

    Args:
        encoder: Any encoder.
        splits: The data sets, which share their training split.
        outside: The out-of-scope texts of each of them, at least one.
        shots: Numbers of templates per intent.
        runs: Draws of templates for each number.
        seed: Seed of the draws.
        decisions: The decisions to score by.
        search: ``"exact"``, or ``"table"`` for quantised templates.
        progress: Called with the number of templates after each draw.

    Yields:
        Each number of templates with its draws: by each decision the scored texts of each split.

    Raises:
        PocketIntentError: ``runs`` is below 1, or a split has no out-of-scope text.
    """
    if runs < 1:
        raise PocketIntentError(f"runs must be at least 1, found {runs}")
    if not all(outside):
        raise PocketIntentError("at least one out-of-scope text is needed")
    train = splits[0]
    queries = [data.query_texts for data in splits]
    embedded = EmbeddedTexts(encoder, train.train_texts, *queries, *outside)
    for number in shots:
        draws = []
        for run in range(runs):
            draw = draw_templates(train.train_labels, number, run, seed)
            scorers = DrawScorers(embedded, train, draw, decisions, search)
            scored: dict[Decision, list[ScoredTexts]] = {name: [] for name in decisions}
            for data, far_texts in zip(splits, outside, strict=True):
                near, far = scorers.answer(data.query_texts), scorers.answer(far_texts)
                for name, texts in scored.items():
                    right = near[name].labels == data.query_labels
                    texts.append(ScoredTexts(near[name].scores, right, far[name].scores))
            draws.append(scored)
            if progress is not None:
                progress(f"{number} templates")
        yield number, draws


def evaluate_out_of_scope(
    encoder: Encoder,
    directory: str | Path,
    *,
    shots: Sequence[int] = (50,),
    runs: int = 10,
    decisions: Sequence[str] = DECISIONS,
    seed: int = 0,
    learn_names: bool = True,
    progress: Callable[[str], None] | None = None,
) -> Iterator[dict[str, Any]]:
    """Measure how well the score separates in-scope from out-of-scope queries.

    The threshold is chosen on ``valid`` and ``oos_valid`` and applied to ``test`` and
    ``oos_test``, so the figures are measured on queries that did not determine it.

    Args:
        encoder: Any encoder.
        directory: A folder with ``train``, ``valid``, ``test``, ``oos_valid`` and ``oos_test``
            as ``.jsonl``; the intents of the last two are null, as in CLINC150.
        shots: Numbers of templates per intent.
        runs: Draws of templates for each number.
        decisions: Names from ``DECISIONS``.
        seed: Seed of the draws.
        learn_names: Whether the decisions may learn the intents' names.
        progress: Called with the number of templates after each draw.

    Yields:
        For each number of templates, as soon as it is measured, ``{"dataset", "shots", "runs",
        "seed", "learn_names", "num_in_scope", "num_out_of_scope", "results"}``; ``results`` has
        for each decision the ``auroc`` on test, the ``threshold``
        chosen on valid, and ``in_scope_accuracy``, ``in_scope_accepted`` and ``oos_recall`` on test
        at this threshold, each as ``{"mean", "std"}``. Scores are those of ``Match.score``: 0..1
        for ``logistic``, otherwise -1..1.

    Raises:
        PocketIntentError: ``runs`` is below 1, a decision is unknown, or a file is missing or
            malformed.
    """
    folder, checked = Path(directory), check_decisions(decisions)
    splits = [load_intent_data(folder, split, learn_names=learn_names) for split in _SPLITS]
    outside = [read_outside_texts(folder / f"oos_{split}.jsonl") for split in _SPLITS]
    for number, draws in score_draws(
        encoder,
        splits,
        outside,
        shots=shots,
        runs=runs,
        seed=seed,
        decisions=checked,
        search="exact",
        progress=progress,
    ):
        results = []
        for decision in checked:
            figures = []
            for valid, test in (scored[decision] for scored in draws):
                threshold = choose_threshold(valid)
                area = auroc(test.scores, test.outside)
                figures.append(
                    {"auroc": area, "threshold": threshold} | test.separated_at(threshold)
                )
            results.append({"decision": decision, **_summarise(figures)})
        yield {
            "dataset": splits[1].name,
            "shots": number,
            "runs": runs,
            "seed": seed,
            "learn_names": learn_names,
            "num_in_scope": len(splits[1].query_texts),
            "num_out_of_scope": len(outside[1]),
            "results": results,
        }


def _summarise(figures: Sequence[Mapping[str, float]]) -> dict[str, dict[str, float]]:
    """Mean and deviation of each figure over the draws."""
    return {name: mean_and_std([draw[name] for draw in figures]) for name in figures[0]}


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
    rows = []
    for number, draws in score_draws(
        encoder,
        [data],
        [outside],
        shots=shots,
        runs=runs,
        seed=seed,
        decisions=[_CALIBRATED],
        search="table",
        progress=progress,
    ):
        texts = [scored[_CALIBRATED][0] for scored in draws]
        figures = _summarise([part.at(threshold) for part in texts])
        bins = np.sum([part.bins() for part in texts], axis=0)
        rows.append({"shots": number, **figures, "bins": describe_bins(bins)})
    return {
        **describe(data, runs=runs, seed=seed),
        "num_outside": len(outside),
        "decision": _CALIBRATED,
        "threshold": threshold,
        "results": rows,
    }
