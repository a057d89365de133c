"""Plots of intent recognition: against templates per intent, and against typing errors."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

from pocketintent.runtime.errors import require
from pocketintent.runtime.files.atomic import replacing

_STYLES = {"logistic": "-", "nearest+centroid": "--", "nearest": ":"}
_CLASSIFIER_STYLE = "-."
_MEASURES = {"accuracy": "accuracy", "macro_f1": "macro-F1"}


def plot_curves(reports: Sequence[dict[str, Any]], path: str | os.PathLike[str]) -> None:
    """Plot the results of :func:`pocketintent.evaluation.intents.curves.learning_curves`.

    There is a column of panels for each data set and a row for each measure. Colours are
    systems; solid lines are ``logistic``, dashed lines ``nearest+centroid``, dotted lines
    ``nearest``, dash-dotted lines the classifiers of other systems. Bars show one standard
    deviation over the draws.

    Args:
        reports: One report per data set.
        path: The image file; its suffix (``.png``, ``.svg``, ``.pdf``) selects the format.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    _plot(reports, path, "shots", "templates of an intent", _MEASURES)


def plot_typing_errors(reports: Sequence[dict[str, Any]], path: str | os.PathLike[str]) -> None:
    """Plot accuracy of :func:`pocketintent.evaluation.intents.robustness.evaluate_typing_errors`.

    There is a panel for each data set, with a line for each encoder and decision, in the styles
    of :func:`plot_curves`.

    Args:
        reports: One report per data set.
        path: The image file; its suffix (``.png``, ``.svg``, ``.pdf``) selects the format.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    _plot(reports, path, "errors", "typing errors in each utterance", ("accuracy",))


def _plot(
    reports: Sequence[dict[str, Any]],
    path: str | os.PathLike[str],
    x: str,
    x_label: str,
    measures: Iterable[str],
) -> None:
    """Plot each measure, in its own row of panels, against the key ``x`` of the results."""
    measures = list(measures)
    figure_module = require("matplotlib.figure", "evaluate")
    size = (4.6 * len(reports) + 2.2, 3.5 * len(measures))
    figure = figure_module.Figure(figsize=size, layout="constrained")
    panels = figure.subplots(len(measures), len(reports), squeeze=False, sharex="col")
    systems = list(dict.fromkeys(row["system"] for r in reports for row in r["results"]))
    colours = {system: f"C{position % 10}" for position, system in enumerate(systems)}
    handles: dict[str, Any] = {}
    for column, report in enumerate(reports):
        panels[0][column].set_title(f"{report['dataset']}, {report['split']}")
        panels[-1][column].set_xlabel(x_label)
        panels[-1][column].xaxis.get_major_locator().set_params(integer=True)
        for panel, measure in zip(panels[:, column], measures, strict=True):
            panel.set_ylabel(_MEASURES[measure])
            panel.grid(alpha=0.3)
            handles |= _draw_panel(panel, report["results"], x, measure, colours)
    figure.legend(handles.values(), handles.keys(), loc="outside right upper", fontsize="small")
    with replacing(path) as temporary:
        figure.savefig(temporary, dpi=150)


def _draw_panel(
    panel: Any, rows: Sequence[dict[str, Any]], x: str, measure: str, colours: dict[str, str]
) -> dict[str, Any]:
    """Draw one line for each system and decision; return the lines by legend label."""
    lines: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        lines.setdefault((row["system"], row["decision"]), []).append(row)
    handles = {}
    for (system, decision), points in lines.items():
        points = sorted(points, key=lambda row: row[x])
        handles[f"{system} ({decision})"] = panel.errorbar(
            [row[x] for row in points],
            [row[measure]["mean"] for row in points],
            yerr=[row[measure]["std"] for row in points],
            color=colours[system],
            linestyle=_STYLES.get(decision, _CLASSIFIER_STYLE),
            marker="o",
            markersize=3,
            capsize=2,
        )
    return handles
