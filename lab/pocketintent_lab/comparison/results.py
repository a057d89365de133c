"""The figures of a comparison as one JSON object, from the results of its runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pocketintent.evaluation.metrics import mean_and_std
from pocketintent.evaluation.similarity.sts import title_of_pairs
from pocketintent_lab.comparison.commands import training_command
from pocketintent_lab.comparison.corpora import content_of
from pocketintent_lab.comparison.expansion import Point, Work
from pocketintent_lab.comparison.plan import Plan
from pocketintent_lab.comparison.store import RESULT_FORMAT, Store
from pocketintent_lab.comparison.tasks import Task

Row = dict[str, Any]


def collect(plan: Plan, work: Work, store: Store, command: str) -> dict[str, Any]:
    """Collect the results of a plan.

    Args:
        plan: The plan.
        work: Its work.
        store: The folder of the comparison.
        command: The command that makes the comparison, for people.

    Returns:
        ``{"format", "title", "command", "seeds", "sts", "pairs", "corpora", "machines", "points",
        "pruning", "quantisation", "failures"}``. ``pairs`` is the title of the file ``sts``, such
        as "STS-B dev". ``points`` has a row for each training run, see
        docs/comparison.md; ``quantisation`` is a table of
        :func:`pocketintent_lab.compression.sweep.run_sweep`, or None.
    """
    return {
        "format": RESULT_FORMAT,
        "title": plan.title,
        "command": command,
        "seeds": list(plan.seeds),
        "sts": plan.measures.sts.name,
        "pairs": title_of_pairs(plan.measures.sts),
        "split": plan.measures.split,
        "draws": plan.measures.draws,
        "corpora": {name: content_of(corpus) for name, corpus in plan.corpora.items()},
        "machines": _machines(work.tasks, store),
        "points": [_row(point, plan.folder, store) for point in work.points],
        "compressed": None if plan.compression is None else plan.compression.algorithm,
        "compressed_corpus": None if plan.compression is None else plan.compression.corpus,
        "pruning": _pruning(work, store),
        "quantisation": _quantisation(work, store),
        "failures": _failures(work.tasks, store),
    }


def averages(
    rows: Sequence[Row], by: Sequence[str], figure: Callable[[Row], float | None]
) -> dict[tuple[Any, ...], dict[str, Any]]:
    """Average a figure over the seeds.

    Args:
        rows: Rows of ``points``.
        by: The entries that rows of the same point have in common.
        figure: The figure of a row; None where it has none.

    Returns:
        ``{"mean", "std"}`` by the values of ``by``, in the order of the rows.
    """
    groups: dict[tuple[Any, ...], list[float]] = {}
    for row in rows:
        value = figure(row)
        if value is not None:
            groups.setdefault(tuple(row[name] for name in by), []).append(value)
    return {key: mean_and_std(values) for key, values in groups.items()}


def _row(point: Point, folder: Path, store: Store) -> Row:
    train = point.train
    row: Row = {
        "algorithm": point.algorithm.name,
        "corpus": train.corpus.name,
        "share": train.share,
        "epochs": point.epochs,
        "seed": train.seed,
        "main": point.is_main,
        "key": train.key,
        "command": training_command(point, folder),
    }
    training = _outcome(train, store)
    if training is not None:
        training.pop("record")
        words = training["words"] * (point.epochs or 1)
        seconds = training["cpu_seconds"]
        row["training"] = {**training, "words_per_second": words / seconds if seconds else None}
    row["sts"] = _outcome(point.sts, store)
    if point.encode is not None:
        row["encode"] = _outcome(point.encode, store)
        reports = [_outcome(task, store) for task in point.intents]
        row["intents"] = {r["dataset"]: r["results"] for r in reports if r is not None}
    return row


def _pruning(work: Work, store: Store) -> list[Row]:
    rows = [
        {"method": task.method, "keep": task.keep, **(_outcome(task, store) or {})}
        for task in work.pruning
    ]
    return [row for row in rows if len(row) > 2]


def _quantisation(work: Work, store: Store) -> dict[str, Any] | None:
    """The sweeps of all variants as one table; None if there is none."""
    tables = [t for task in work.sweep if (t := _outcome(task, store)) is not None]
    if not tables:
        return None
    return {**tables[0], "cells": [cell for table in tables for cell in table["cells"]]}


def _failures(tasks: Sequence[Task], store: Store) -> list[Row]:
    results = [(task, store.result(task.key) or {}) for task in tasks]
    return [
        {"run": task.label, "key": task.key, "error": result["error"]}
        for task, result in results
        if "error" in result
    ]


def _machines(tasks: Sequence[Task], store: Store) -> list[Row]:
    """The different machines that made the runs, with the version of this package."""
    machines: list[Row] = []
    for task in tasks:
        result = store.result(task.key)
        if result is not None:
            machine = {**result["machine"], "pocketintent": result["version"]}
            if machine not in machines:
                machines.append(machine)
    return machines


def _outcome(task: Task, store: Store) -> Row | None:
    outcome: Row | None = (store.result(task.key) or {}).get("outcome")
    return outcome
