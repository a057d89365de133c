"""The plot of ``encoding.py``: latency of each encoder, a panel for each kind of text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pocketintent.runtime.errors import require


def plot_encoding(reports: Sequence[dict[str, Any]], path: Path) -> None:
    """Draw median latencies on a logarithmic scale.

    A column of panels for each kind of text; a row for each device and number of typing errors.
    A colour is a family of encoders. A full mark is a text with an empty cache of words, an empty
    mark a text after other texts.

    Args:
        reports: The reports that ``encoding.py`` prints.
        path: File of the plot; its suffix (``.png``, ``.svg``, ``.pdf``) chooses the format.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    figure_module = require("matplotlib.figure", "evaluate")
    lines = require("matplotlib.lines", "evaluate")
    columns = list(dict.fromkeys(report["texts"] for report in reports))
    rows = list(dict.fromkeys((report["device"], report["errors"]) for report in reports))
    most = max(len(report["systems"]) for report in reports)
    size = (3.4 * len(columns) + 3.4, (0.24 * most + 0.9) * len(rows))
    figure = figure_module.Figure(figsize=size, layout="constrained")
    panels = figure.subplots(len(rows), len(columns), squeeze=False, sharex="row", sharey="row")
    families = dict.fromkeys(s["family"] for r in reports for s in r["systems"].values())
    colours = {family: f"C{position % 10}" for position, family in enumerate(families)}
    for report in reports:
        row = rows.index((report["device"], report["errors"]))
        panel = panels[row][columns.index(report["texts"])]
        errors = f"{report['errors']} typing errors" if report["errors"] else "clean"
        panel.set_title(f"{report['texts']}, {errors}", fontsize="medium")
        unit = "ms of CPU time" if report["clock"] == "cpu" else "ms"
        panel.set_xlabel(f"{unit} a text, batch 1, {report['device']}", fontsize="small")
        _draw_panel(panel, report["systems"], colours)
    for row_of_panels in panels:
        row_of_panels[0].invert_yaxis()  # the axis is shared: the first system is on top in all
    handles = [_mark(lines, colour) for colour in colours.values()]
    handles += [_mark(lines, "black"), _mark(lines, "black", markerfacecolor="none")]
    names = [*families, "no word met before", "as it comes after others"]
    figure.legend(handles, names, loc="outside right upper", fontsize="small")
    figure.savefig(path, dpi=150)


def _mark(lines: Any, colour: str, **style: Any) -> Any:
    return lines.Line2D([], [], color=colour, marker="o", linestyle="none", **style)


def _draw_panel(panel: Any, systems: dict[str, Any], colours: dict[str, str]) -> None:
    for place, system in enumerate(systems.values()):
        colour = colours[system["family"]]
        first = system["median_us"] / 1e3
        met = (system["met"] or system)["median_us"] / 1e3
        panel.plot([first, met], [place, place], color=colour, linewidth=1, alpha=0.6)
        panel.plot([first], [place], color=colour, marker="o", markersize=5)
        if system["met"] is not None:
            style = {"marker": "o", "markersize": 5, "markerfacecolor": "white"}
            panel.plot([met], [place], color=colour, **style)
    panel.set_yticks(range(len(systems)), list(systems), fontsize="small")
    panel.set_xscale("log")
    panel.grid(alpha=0.3)
