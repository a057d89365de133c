"""The sections of a report: a heading, a remark, a plot and its table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pocketintent_lab.comparison.commands import HOW_TO_REPEAT
from pocketintent_lab.comparison.plots import (
    epochs_rows,
    intent_figures,
    pearson_of,
    share_rows,
)
from pocketintent_lab.comparison.results import Row, averages
from pocketintent_lab.compression.sweep import flatten

_MB = 1e6

_REFUSED = "(refused)"
"""Stands in place of a figure, and before the note that gives the reason."""


@dataclass(frozen=True)
class TableOfFigures:
    """A table of texts."""

    header: list[str]
    rows: list[list[str]]


@dataclass(frozen=True)
class Section:
    """A section of the page."""

    name: str
    """Its anchor, and the name of its plots."""
    title: str
    remark: str
    table: TableOfFigures
    plots: tuple[str, ...] = ()
    """Names of plots; plots without figures are left out."""
    notes: tuple[str, ...] = ()
    """Paragraphs below the table."""


def sections_of(report: dict[str, Any]) -> list[Section]:
    """The sections of a report that have figures.

    Args:
        report: The report of :func:`pocketintent_lab.comparison.results.collect`.
    """
    sections = [
        _models(report),
        _epochs(report),
        _share(report),
        _encoding(report),
        _cost(report),
        _intents(report),
        pruning_section(report),
        _quantisation(report),
        _failures(report),
    ]
    return [section for section in sections if section.table.rows]


def commands_section(report: dict[str, Any]) -> Section:
    """The training commands of all runs."""
    rows = [
        [row["algorithm"], row["corpus"], f"{row['share']:g}", str(row["epochs"] or ""),
         str(row["seed"]), row["key"], row["command"]]
        for row in report["points"]
    ]  # fmt: skip
    header = ["algorithm", "corpus", "share, %", "epochs", "seed", "run", "command"]
    remark = (
        f"{HOW_TO_REPEAT}. A run is kept in results/RUN.json, its model in models/RUN.safetensors."
    )
    return Section("commands", "The training commands", remark, TableOfFigures(header, rows))


def _models(report: dict[str, Any]) -> Section:
    rows = [row for row in report["points"] if row["main"]]
    by = ("algorithm", "corpus", "epochs")
    pearson = averages(rows, by, pearson_of)
    spearman = averages(rows, by, lambda row: row["sts"] and row["sts"]["spearman"])
    seconds = averages(rows, by, lambda row: row.get("training", {}).get("cpu_seconds"))
    size = averages(rows, by, lambda row: row.get("training", {}).get("model_bytes"))
    table = [
        [algorithm, corpus, str(epochs or ""), _figure(pearson.get(key)),
         _figure(spearman.get(key)), _seconds(seconds.get(key)), _mean(size.get(key), _MB, 1)]
        for key in pearson
        for algorithm, corpus, epochs in [key]
    ]  # fmt: skip
    header = ["algorithm", "corpus", "epochs", "Pearson", "Spearman", "CPU s", "model, MB"]
    return Section(
        "models",
        "Similarity of sentences, each algorithm with the settings of the plan",
        f"Correlation of the cosine with the scores of {report['pairs']}.",
        TableOfFigures(header, table),
    )


def _epochs(report: dict[str, Any]) -> Section:
    rows = epochs_rows(report)
    by = ("corpus", "algorithm", "epochs")
    seconds = averages(rows, by, lambda row: row.get("training", {}).get("cpu_seconds"))
    table = [
        [key[1], key[0], str(key[2]), _figure(pearson), _seconds(seconds.get(key))]
        for key, pearson in sorted(averages(rows, by, pearson_of).items())
    ]
    return Section(
        "epochs",
        "Similarity against epochs and CPU time",
        "Thesis figure 3.2 and table D.1. Each point is a training run of its own from the start: "
        "learning rates fall to their end within the run, so a run of 5 epochs is not the first "
        "5 epochs of a longer one. CPU time is that of the whole process, its start and the "
        "reading of the corpus included.",
        TableOfFigures(["algorithm", "corpus", "epochs", "Pearson", "CPU s"], table),
        ("epochs", "cpu"),
    )


def _share(report: dict[str, Any]) -> Section:
    figures = averages(share_rows(report), ("corpus", "algorithm", "share"), pearson_of)
    shares = sorted({key[2] for key in figures})
    lines = dict.fromkeys(key[:2] for key in figures)
    table = [
        [algorithm, corpus, *(_figure(figures.get((corpus, algorithm, s))) for s in shares)]
        for corpus, algorithm in lines
    ]
    return Section(
        "share",
        "Similarity against the size of the corpus",
        "Thesis figure 3.3 and table D.2: Pearson after training on a random share of the lines. "
        "The lines of a share are among those of every larger one.",
        TableOfFigures(["algorithm", "corpus", *(f"{s:g}%" for s in shares)], table)
        if len(shares) > 1
        else TableOfFigures([], []),
        ("share",),
    )


def _encoding(report: dict[str, Any]) -> Section:
    rows = [row for row in report["points"] if row.get("encode")]
    by, table = ("algorithm", "corpus"), []
    texts = averages(rows, by, lambda row: row["encode"]["texts"])
    batch = averages(rows, by, lambda row: row["encode"]["batch_seconds"])
    single = averages(rows, by, lambda row: row["encode"]["single_seconds"])
    for key, number in texts.items():
        count = number["mean"]
        each = f"{single[key]['mean'] / count * 1e6:.0f}"
        table.append([*key, f"{count:.0f}", _seconds(batch[key]), _seconds(single[key]), each])
    header = ["algorithm", "corpus", "texts", "together, s", "one by one, s", "µs a text"]
    return Section(
        "encoding",
        "Time to encode the sentences of STS-B",
        "Thesis table 3.7. CPU time on one thread of the uncompressed model, the fastest of three "
        "repeats with a newly opened model.",
        TableOfFigures(header, table),
    )


def _cost(report: dict[str, Any]) -> Section:
    rows = [row for row in report["points"] if row["main"] and "training" in row]
    by, table = ("algorithm", "corpus", "epochs"), []
    columns = ("words", "cpu_seconds", "wall_seconds", "words_per_second", "peak_bytes")
    words, cpu, wall, rate, peak = (
        averages(rows, by, lambda row, name=name: row["training"][name])  # type: ignore[misc]
        for name in columns
    )
    for key in words:
        table.append(
            [*key[:2], str(key[2] or ""), _mean(words[key]), _seconds(cpu.get(key)),
             _seconds(wall.get(key)), _mean(rate.get(key)), _mean(peak.get(key), _MB)]
        )  # fmt: skip
    header = ["algorithm", "corpus", "epochs", "words", "CPU s", "wall s", "words/s", "peak, MB"]
    return Section(
        "cost",
        "Speed and peak memory of training",
        "Thesis table 3.6. Words a second are the words of the corpus times the epochs, by the CPU "
        "time of the whole process; the smaller the corpus, the more its start weighs.",
        TableOfFigures(header, table),
    )


def _intents(report: dict[str, Any]) -> Section:
    figures = intent_figures(report)
    shots = sorted({key[-1] for key in figures})
    table = [
        [*line[3:], *line[:3], *(_figure(figures.get((*line, s))) for s in shots)]
        for line in dict.fromkeys(key[:-1] for key in figures)
    ]
    header = ["algorithm", "corpus", "intents", "decision", *(f"{s} per intent" for s in shots)]
    return Section(
        "intents",
        "Intents recognised, against the number of templates",
        f"Accuracy on the split {report['split']}, {_draws(report['draws'])} of templates.",
        TableOfFigures(header, table),
        ("intents",),
    )


def pruning_section(report: dict[str, Any]) -> Section:
    """Pearson after pruning; a refusal is a mark in the table, with its reason below it."""
    table = [
        [row["method"], str(row["keep"]), str(row.get("words", "")),
         _REFUSED if "refused" in row else f"{row['pearson']:.4f}", _size(row.get("vector_bytes"))]
        for row in report["pruning"]
    ]  # fmt: skip
    return Section(
        "pruning",
        "Similarity after pruning the vocabulary",
        f"Thesis figure 4.1, tables 4.2 and 4.3: {report['compressed']} on "
        f"{report['compressed_corpus']}, with the most frequent words, or with the words of the "
        "longest vectors and one word of every sentence at least.",
        TableOfFigures(["pruned by", "words asked", "words kept", "Pearson", "vectors, kB"], table),
        ("pruning",),
        _refusals(report["pruning"]),
    )


def _refusals(rows: Sequence[Row]) -> tuple[str, ...]:
    """Why words cannot be pruned so far: for each method, the reason of the mildest refusal."""
    refused = sorted((row for row in rows if "refused" in row), key=lambda row: row["keep"])
    reasons = {row["method"]: row["refused"] for row in refused}
    return tuple(f"{_REFUSED} Pruned by {name}: {text}." for name, text in reasons.items())


def _quantisation(report: dict[str, Any]) -> Section:
    sweep = report["quantisation"] or {"cells": []}
    cells = {(c["variant"], c["sub_dim"], c["codebook_size"]): c for c in sweep["cells"]}
    sizes = sorted({key[2] for key in cells})
    table = [
        [variant.replace("_", " "), str(sub_dim),
         *(_cell(cells.get((variant, sub_dim, size))) for size in sizes)]
        for variant, sub_dim in dict.fromkeys(key[:2] for key in cells)
    ]  # fmt: skip
    baseline = "".join(
        f" Without quantisation it is {value:.4f}."
        for name, value in flatten(sweep.get("baseline", {}).get("quality", {})).items()
        if name == "sts.pearson"
    )
    return Section(
        "quantisation",
        "Similarity after quantisation",
        f"Thesis figures 4.4 to 4.6, and the way of `compress`: Pearson of {report['compressed']} "
        f"on {report['compressed_corpus']} for {len(cells)} settings, by sub-vector length and "
        f"codebook size.{baseline}",
        TableOfFigures(["variant", "sub_dim", *(f"{size} centroids" for size in sizes)], table),
        ("quantisation",),
    )


def _failures(report: dict[str, Any]) -> Section:
    rows = [[row["run"], row["key"], row["error"]] for row in report["failures"]]
    return Section(
        "failures",
        "Runs that failed",
        "They are not repeated until the command has --retry.",
        TableOfFigures(["run", "key", "error"], rows),
    )


def _cell(cell: Row | None) -> str:
    pearson = None if cell is None else flatten(cell["quality"]).get("sts.pearson")
    return "" if pearson is None else f"{pearson:.4f}"


def _figure(figure: dict[str, Any] | None) -> str:
    """A mean with its deviation, if it has one."""
    if figure is None:
        return ""
    deviation = f" ± {figure['std']:.4f}" if figure["std"] else ""
    return f"{figure['mean']:.4f}{deviation}"


def _seconds(figure: dict[str, Any] | None) -> str:
    if figure is None:
        return ""
    return f"{figure['mean']:.3f}" if figure["mean"] < 1 else f"{figure['mean']:.1f}"


def _mean(figure: dict[str, Any] | None, unit: float = 1, digits: int = 0) -> str:
    return "" if figure is None else f"{figure['mean'] / unit:,.{digits}f}"


def _size(value: int | None) -> str:
    return "" if value is None else f"{value / 1e3:,.0f}"


def _draws(number: int) -> str:
    """How many draws a figure is the mean of."""
    return "one draw" if number == 1 else f"mean and deviation over {number} draws"
