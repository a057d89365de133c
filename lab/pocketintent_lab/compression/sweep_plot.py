"""The plot of a sweep: quality against size, with a panel for each variant."""

from __future__ import annotations

import os
from typing import Any

from pocketintent.runtime.errors import require
from pocketintent.runtime.files.atomic import replacing
from pocketintent_lab.compression.sweep import flatten


def plot_sweep(table: dict[str, Any], path: str | os.PathLike[str], *, pairs: str = "") -> None:
    """Plot a table of :func:`pocketintent_lab.compression.sweep.run_sweep`.

    There is a row of panels for Pearson and for each intent set (nearest template, the largest
    number of shots), a column for each variant, a line for each ``sub_dim``, a marker for each
    codebook size, and a dashed line for the uncompressed model.

    Args:
        table: The table.
        path: The image file; its suffix selects the format.
        pairs: The title of the scored pairs, for the label of Pearson.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    matplotlib = require("matplotlib", "evaluate")
    matplotlib.use("Agg")
    plt = require("matplotlib.pyplot", "evaluate")
    ticker = require("matplotlib.ticker", "evaluate")

    baseline = flatten(table["baseline"]["quality"])
    figures = _figures(baseline)
    variants = list(dict.fromkeys(cell["variant"] for cell in table["cells"]))
    # A sub_dim has the same colour in all panels, even if the table is incomplete.
    sub_dims = sorted({cell["sub_dim"] for cell in table["cells"]})
    colours = {sub_dim: f"C{number}" for number, sub_dim in enumerate(sub_dims)}
    figure, axes = plt.subplots(
        len(figures),
        len(variants),
        figsize=(4.5 * len(variants), 3.8 * len(figures)),
        sharex=True,
        sharey="row",
        squeeze=False,
        layout="constrained",
    )
    for row, name in enumerate(figures):
        for column, variant in enumerate(variants):
            axis = axes[row][column]
            cells = [cell for cell in table["cells"] if cell["variant"] == variant]
            _draw_panel(axis, cells, name, colours)
            axis.axhline(baseline[name], color="grey", linestyle="--", linewidth=1)
            if row == 0:
                axis.set_title(variant.replace("_", " "))
            axis.set_xscale("log")
            axis.xaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
            axis.xaxis.set_major_formatter(ticker.EngFormatter(unit="B", sep=""))
            axis.xaxis.set_minor_locator(ticker.NullLocator())
            if row == len(figures) - 1:
                axis.set_xlabel("size of the words' vectors")
        axes[row][0].set_ylabel(axis_label(name, pairs))
    lines = [plt.Line2D([], [], color=colour, marker="o") for colour in colours.values()]
    axes[0][0].legend(lines, list(map(str, colours)), title="sub_dim", fontsize="small")
    with replacing(path) as temporary:
        figure.savefig(temporary, dpi=120)
    plt.close(figure)


def axis_label(name: str, pairs: str = "") -> str:
    """The label of a figure: "Pearson, STS-B dev" or "accuracy, snips, 30 templates".

    Args:
        name: The figure's name in a table, with dots.
        pairs: The title of the scored pairs.
    """
    if name == "sts.pearson":
        return f"Pearson, {pairs}" if pairs else "Pearson"
    folder, _, shots, _ = name.rsplit(".", 3)
    return f"accuracy, {folder.removeprefix('intents.')}, {shots} templates"


def _draw_panel(axis: Any, cells: list[dict[str, Any]], name: str, colours: dict[int, str]) -> None:
    for sub_dim, colour in colours.items():
        line = sorted(
            (cell["vector_bytes"], flatten(cell["quality"]).get(name, float("nan")))
            for cell in cells
            if cell["sub_dim"] == sub_dim
        )
        if line:
            sizes, values = zip(*line, strict=True)
            axis.plot(sizes, values, color=colour, marker="o", markersize=3, linewidth=1)
    axis.grid(alpha=0.3)


def _figures(baseline: dict[str, float]) -> list[str]:
    """Return Pearson, and for each intent set the last accuracy of the nearest template."""
    intents = {name.split(".")[1]: name for name in baseline if name.endswith(".nearest")}
    return [name for name in ("sts.pearson",) if name in baseline] + list(intents.values())
