"""The plot of keyphrase extraction: a group of bars, F1 at k, for each k."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from pocketintent.runtime.errors import require
from pocketintent.runtime.files.atomic import replacing


def plot_keyphrases(reports: Sequence[dict[str, Any]], path: str | os.PathLike[str]) -> None:
    """Plot F1 of :func:`pocketintent_lab.evaluation.keyphrases.scoring.evaluate_keyphrases`.

    There is a panel for each data set and a colour for each system.

    Args:
        reports: One report per data set.
        path: The image file; its suffix (``.png``, ``.svg``, ``.pdf``) selects the format.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    figure_module = require("matplotlib.figure", "evaluate")
    figure = figure_module.Figure(figsize=(3.4 * len(reports) + 1.6, 3.4), layout="constrained")
    panels = figure.subplots(1, len(reports), squeeze=False, sharey=True)[0]
    for panel, report in zip(panels, reports, strict=True):
        results = report["results"]
        cutoffs = list(results[0]["at"])
        width = 0.8 / len(results)
        for position, result in enumerate(results):
            offset = (position - (len(results) - 1) / 2) * width
            places = [place + offset for place in range(len(cutoffs))]
            heights = [result["at"][cutoff]["f1"] for cutoff in cutoffs]
            panel.bar(places, heights, width, label=result["system"])
        panel.set_xticks(range(len(cutoffs)), [f"F1 at {cutoff}" for cutoff in cutoffs])
        panel.set_title(f"{report['dataset']}, {report['split']}")
        panel.grid(axis="y", alpha=0.3)
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside right upper")
    with replacing(path) as temporary:
        figure.savefig(temporary, dpi=150)
