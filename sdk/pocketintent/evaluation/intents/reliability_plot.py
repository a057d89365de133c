"""The reliability plot: the share of right intents against the score, with counts."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from pocketintent.evaluation.intents.scored_texts import NUM_BINS, OUTSIDE_SHARES
from pocketintent.runtime.errors import require
from pocketintent.runtime.files.atomic import replacing


def plot_reliability(reports: Sequence[dict[str, Any]], path: str | os.PathLike[str]) -> None:
    """Plot the results of :func:`.out_of_scope.evaluate_calibration`, or of written bots.

    There is a column for each data set. Its upper panel has a line for each number of templates:
    the share of right intents in each bin of scores, where out-of-scope texts weigh a third. On
    the dashed diagonal, scores are probabilities. The lower panel has the number of in-scope and
    out-of-scope texts in each bin, of all draws and numbers of templates.

    Args:
        reports: One report per data set.
        path: The image file; its suffix (``.png``, ``.svg``, ``.pdf``) selects the format.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    figure_module = require("matplotlib.figure", "evaluate")
    figure = figure_module.Figure(figsize=(4.2 * len(reports), 5.6), layout="constrained")
    panels = figure.subplots(
        2, len(reports), squeeze=False, sharex=True, height_ratios=(2.4, 1), sharey="row"
    )
    for column, report in enumerate(reports):
        upper, lower = panels[:, column]
        upper.set_title(", ".join(report[key] for key in ("dataset", "split") if key in report))
        upper.plot([0, 1], [0, 1], color="grey", linestyle="--", linewidth=1)
        for row in report["results"]:
            scores, shares = reliability(row["bins"])
            upper.plot(
                scores, shares, marker="o", markersize=4, label=f"{row['shots'] or 'all'} templates"
            )
        _draw_counts(lower, report)
        lower.set_xlabel("score")
        for panel in (upper, lower):
            panel.grid(alpha=0.3)
            panel.set_xlim(0, 1)
    panels[0][0].set_ylim(0, 1.02)
    panels[0][0].set_ylabel("share of right intents")
    panels[1][0].set_ylabel("texts")
    panels[0][0].legend(fontsize="small")
    panels[1][0].legend(fontsize="small")
    with replacing(path) as temporary:
        figure.savefig(temporary, dpi=150)


def reliability(bins: Sequence[dict[str, Any]]) -> tuple[list[float], list[float]]:
    """The points of a line of the plot.

    Args:
        bins: The bins of a row of the report.

    Returns:
        For each bin with texts, their mean score, and the share of them whose intent is right;
        all out-of-scope texts together weigh a third.
    """
    share = OUTSIDE_SHARES["third"]
    inside = (1 - share) / max(sum(part["in_scope"] for part in bins), 1)
    outside = share / max(sum(part["out_of_scope"] for part in bins), 1)
    scores, shares = [], []
    for part in bins:
        near, far = inside * part["in_scope"], outside * part["out_of_scope"]
        if near + far > 0:
            total = near * (part["mean_score"] or 0) + far * (part["mean_outside_score"] or 0)
            scores.append(total / (near + far))
            shares.append(inside * part["right"] / (near + far))
    return scores, shares


def _draw_counts(panel: Any, report: dict[str, Any]) -> None:
    """Draw the number of texts in each bin as bars."""
    rows = [row["bins"] for row in report["results"]]
    width = 0.4 / NUM_BINS
    for offset, key, label in (
        (0.1, "in_scope", "in scope"),
        (0.5, "out_of_scope", "out of scope"),
    ):
        places = [part["low"] + offset / NUM_BINS for part in rows[0]]
        counts = [sum(row[position][key] for row in rows) for position in range(NUM_BINS)]
        panel.bar(places, counts, width, align="edge", label=label)
    panel.set_yscale("log")
