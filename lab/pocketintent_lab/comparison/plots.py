"""The plots of a comparison."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pocketintent.runtime.errors import require
from pocketintent.runtime.files.atomic import replacing
from pocketintent_lab.comparison.results import Row, averages
from pocketintent_lab.compression.sweep_plot import plot_sweep

Points = Sequence[tuple[float, float, float]]
"""x, y and the deviation of y."""

Panels = Mapping[str, Mapping[str, Points]]
"""Lines by their label, by the title of their panel."""


_COLUMNS = 3
"""Largest number of panels side by side."""


def draw_plots(report: dict[str, Any], folder: Path) -> dict[str, Path]:
    """Draw the plots that a report has figures for.

    Args:
        report: The report of :func:`pocketintent_lab.comparison.results.collect`.
        folder: The folder of the pictures, which exists.

    Returns:
        The files by the names of the plots: ``epochs``, ``cpu``, ``share``, ``intents``,
        ``pruning`` and ``quantisation``.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    drawn = {}
    for name, (panels, x_label, y_label, log) in _line_plots(report).items():
        # A line of one point is no curve.
        if any(len(points) > 1 for lines in panels.values() for points in lines.values()):
            drawn[name] = folder / f"{name}.png"
            draw(panels, x_label, y_label, drawn[name], log=log)
    if report["quantisation"] is not None:
        drawn["quantisation"] = folder / "quantisation.png"
        plot_sweep(report["quantisation"], drawn["quantisation"], pairs=report["pairs"])
    return drawn


def epochs_rows(report: dict[str, Any]) -> list[Row]:
    """The rows of the curves against epochs and CPU time: whole corpora."""
    return [row for row in report["points"] if row["share"] == 100 and row["epochs"] is not None]


def share_rows(report: dict[str, Any]) -> list[Row]:
    """The rows of the curves against the size of the corpus: the epochs of the main run."""
    main = {(r["algorithm"], r["corpus"]): r["epochs"] for r in report["points"] if r["main"]}
    return [
        row
        for row in report["points"]
        if row["epochs"] == main.get((row["algorithm"], row["corpus"]), row["epochs"])
    ]


def pearson_of(row: Row) -> float | None:
    """Pearson of a row; None without one."""
    return None if row["sts"] is None else row["sts"]["pearson"]


def _line_plots(report: dict[str, Any]) -> dict[str, tuple[Panels, str, str, bool]]:
    by_epochs, by_share = epochs_rows(report), share_rows(report)
    pearson = f"Pearson, {report['pairs']}"
    return {
        "epochs": (_curves(by_epochs, "epochs"), "epochs", pearson, True),
        "cpu": (_cpu_curves(by_epochs), "CPU seconds of training", pearson, True),
        "share": (_curves(by_share, "share"), "share of the corpus, %", pearson, False),
        "intents": (_intents(report), "templates of an intent", "accuracy", False),
        "pruning": (_pruning(report), "words kept", pearson, True),
    }


def _curves(rows: Sequence[Row], x: str) -> Panels:
    """Pearson against an entry of the rows, a panel for each corpus."""
    panels: dict[str, dict[str, list[tuple[float, float, float]]]] = {}
    figures = averages(rows, ("corpus", "algorithm", x), pearson_of)
    for (corpus, algorithm, value), figure in figures.items():
        points = panels.setdefault(corpus, {}).setdefault(algorithm, [])
        points.append((value, figure["mean"], figure["std"] or 0))
    return _sorted(panels)


def _cpu_curves(rows: Sequence[Row]) -> Panels:
    panels: dict[str, dict[str, list[tuple[float, float, float]]]] = {}
    by = ("corpus", "algorithm", "epochs")
    seconds = averages(rows, by, lambda row: row.get("training", {}).get("cpu_seconds"))
    for key, figure in averages(rows, by, pearson_of).items():
        if key in seconds:
            points = panels.setdefault(key[0], {}).setdefault(key[1], [])
            points.append((seconds[key]["mean"], figure["mean"], figure["std"] or 0))
    return _sorted(panels)


def _intents(report: dict[str, Any]) -> Panels:
    """Accuracy against templates, a panel for each data set, corpus and decision."""
    panels: dict[str, dict[str, list[tuple[float, float, float]]]] = {}
    for key, figure in intent_figures(report).items():
        corpus, dataset, decision, algorithm, shots = key
        lines = panels.setdefault(f"{dataset}, {decision}; {corpus}", {})
        lines.setdefault(algorithm, []).append((shots, figure["mean"], figure["std"] or 0))
    return _sorted(panels)


def intent_figures(report: dict[str, Any]) -> dict[tuple[Any, ...], dict[str, Any]]:
    """Accuracy by corpus, data set, decision, algorithm and number of templates.

    Of several seeds, the mean over the seeds; of one, the deviation over the draws.
    """
    figures: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in report["points"]:
        for dataset, results in row.get("intents", {}).items():
            for result in results:
                decision, shots = result["decision"], result["shots"]
                key = (row["corpus"], dataset, decision, row["algorithm"], shots)
                figures.setdefault(key, []).append(result["accuracy"])
    return {
        key: {
            "mean": sum(figure["mean"] for figure in values) / len(values),
            "std": sum(figure["std"] or 0 for figure in values) / len(values),
        }
        for key, values in figures.items()
    }


def _pruning(report: dict[str, Any]) -> Panels:
    lines: dict[str, list[tuple[float, float, float]]] = {}
    for row in report["pruning"]:
        if "refused" not in row:
            points = lines.setdefault(f"by {row['method']}", [])
            points.append((row["words"], row["pearson"], 0))
    title = f"{report['compressed']}, {report['compressed_corpus']}"
    return _sorted({title: lines}) if lines else {}


def _sorted(panels: Mapping[str, Mapping[str, Points]]) -> Panels:
    return {
        title: {label: sorted(set(points)) for label, points in lines.items()}
        for title, lines in panels.items()
    }


def draw(panels: Panels, x_label: str, y_label: str, path: Path, *, log: bool) -> None:
    """Draw lines with their deviations, in panels of one scale with one legend.

    Args:
        panels: The lines of each panel.
        x_label: The label of every x.
        y_label: The label of y.
        path: The picture.
        log: Whether x is logarithmic.
    """
    figure_module = require("matplotlib.figure", "evaluate")
    columns = min(len(panels), _COLUMNS)
    rows = math.ceil(len(panels) / columns)
    size = (4.6 * columns + 2.6, 4.0 * rows)
    figure = figure_module.Figure(figsize=size, layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False, sharey=True)
    axes, unused = list(grid.flat)[: len(panels)], list(grid.flat)[len(panels) :]
    labels = list(dict.fromkeys(label for lines in panels.values() for label in lines))
    handles: dict[str, Any] = {}
    for axis, (title, lines) in zip(axes, panels.items(), strict=True):
        axis.set_title(title)
        axis.set_xlabel(x_label)
        axis.grid(alpha=0.3)
        if log:
            _set_log_scale(axis)
        for label, points in lines.items():
            position = labels.index(label)
            x, y, deviation = zip(*points, strict=True)
            handles[label] = axis.errorbar(
                *(x, y),
                yerr=deviation if any(deviation) else None,
                color=f"C{position % 10}",
                marker="osD^vPX*<>"[position // 10 % 10],
                markersize=4,
                linewidth=1.2,
                capsize=2,
            )
    for axis in unused:
        axis.remove()
    for axis in grid[:, 0]:
        axis.set_ylabel(y_label)
    figure.legend(handles.values(), handles.keys(), loc="outside right upper", fontsize="small")
    with replacing(path) as temporary:
        figure.savefig(temporary, dpi=130 if rows == 1 else 100)


def _set_log_scale(axis: Any) -> None:
    """A logarithmic x with plain numbers."""
    ticker = require("matplotlib.ticker", "evaluate")
    axis.set_xscale("log")
    axis.xaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
    axis.xaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    axis.xaxis.set_minor_locator(ticker.NullLocator())
