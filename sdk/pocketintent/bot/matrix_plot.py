"""The confusion matrix as a picture."""

from __future__ import annotations

import os
from typing import Any

from pocketintent.bot.confusion import NO_INTENT, REFUSED, ConfusionMatrix
from pocketintent.bot.words import label_name
from pocketintent.runtime.errors import require
from pocketintent.runtime.files.atomic import replacing

MOST_INTENTS = 80
"""Most intents in a picture; beyond, those with most wrong answers."""


def plot_confusion(matrix: ConfusionMatrix, title: str, path: str | os.PathLike[str]) -> None:
    """Draw a confusion matrix: the darker a cell, the larger its share of the row.

    Args:
        matrix: The matrix; of more than 80 intents, those with most wrong answers are drawn.
        title: The title.
        path: The image file; its suffix (``.png``, ``.svg``, ``.pdf``) selects the format.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    figure_module = require("matplotlib.figure", "evaluate")
    shown = matrix.focus(MOST_INTENTS)
    counts = shown.counts
    side = 0.3 * len(counts) + 2.6
    figure = figure_module.Figure(figsize=(side, side), layout="constrained")
    panel = figure.subplots()
    shares = counts / counts.sum(axis=1, keepdims=True).clip(1)
    panel.imshow(shares, cmap="Blues", vmin=0.0, vmax=1.0)
    _label_axes(panel, shown)
    panel.set_title(title, parse_math=False)
    for (row, column), count in _cells(counts):
        colour = "white" if shares[row, column] > 0.5 else "black"
        panel.text(
            column, row, str(count), ha="center", va="center", color=colour, fontsize="x-small"
        )
    with replacing(path) as temporary:
        figure.savefig(temporary, dpi=150)


def _label_axes(panel: Any, matrix: ConfusionMatrix) -> None:
    names = [label_name(name) for name in matrix.intents]
    places = range(len(names) + 1)
    style = {"fontsize": "small", "parse_math": False}  # a name may contain a dollar sign
    panel.set_xticks(places, [*names, REFUSED], rotation=90, **style)
    panel.set_yticks(places, [*names, NO_INTENT], **style)
    panel.set_xlabel("given")
    panel.set_ylabel("expected")


def _cells(counts: Any) -> list[tuple[tuple[int, int], int]]:
    """Row, column and count of the cells that are not zero."""
    rows, columns = counts.nonzero()
    places = zip(rows.tolist(), columns.tolist(), strict=True)
    return [(place, int(counts[place])) for place in places]
