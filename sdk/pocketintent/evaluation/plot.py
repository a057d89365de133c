"""The plot of learning curves: accuracy and macro-F1 against templates of an intent."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from pocketintent.runtime.errors import require

_STYLES = {"nearest": "--", "nearest+centroid": "-", "classifier": ":"}
_MEASURES = {"accuracy": "accuracy", "macro_f1": "macro-F1"}


def plot_curves(reports: Sequence[dict[str, Any]], path: str | os.PathLike[str]) -> None:
    """Draw the results of :func:`pocketintent.evaluation.curves.learning_curves`.

    A column of panels for each data set, a row for each measure. A colour is a system; a dashed
    line is its nearest template, a full one ``nearest+centroid``, a dotted one a classifier.
    Bars show one standard deviation over the draws.

    Args:
        reports: One for each data set.
        path: Where the picture goes; its ending (``.png``, ``.svg``, ``.pdf``) says the format.
    """
    figure_module = require("matplotlib.figure", "evaluate")
    size = (4.6 * len(reports) + 2.2, 7.0)
    figure = figure_module.Figure(figsize=size, layout="constrained")
    panels = figure.subplots(len(_MEASURES), len(reports), squeeze=False, sharex="col")
    systems = list(dict.fromkeys(row["system"] for r in reports for row in r["results"]))
    colours = {system: f"C{position % 10}" for position, system in enumerate(systems)}
    handles: dict[str, Any] = {}
    for column, report in enumerate(reports):
        panels[0][column].set_title(f"{report['dataset']}, {report['split']}")
        panels[-1][column].set_xlabel("templates of an intent")
        for panel, measure in zip(panels[:, column], _MEASURES, strict=True):
            panel.set_ylabel(_MEASURES[measure])
            panel.grid(alpha=0.3)
            handles |= _draw_panel(panel, report["results"], measure, colours)
    figure.legend(handles.values(), handles.keys(), loc="outside right upper", fontsize="small")
    figure.savefig(path, dpi=150)


def _draw_panel(
    panel: Any, rows: Sequence[dict[str, Any]], measure: str, colours: dict[str, str]
) -> dict[str, Any]:
    """Draw one line for each system and decision; returns the lines by their legend."""
    lines: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        lines.setdefault((row["system"], row["decision"]), []).append(row)
    handles = {}
    for (system, decision), points in lines.items():
        points = sorted(points, key=lambda row: row["shots"])
        handles[f"{system} ({decision})"] = panel.errorbar(
            [row["shots"] for row in points],
            [row[measure]["mean"] for row in points],
            yerr=[row[measure]["std"] for row in points],
            color=colours[system],
            linestyle=_STYLES.get(decision, "-."),
            marker="o",
            markersize=3,
            capsize=2,
        )
    return handles
