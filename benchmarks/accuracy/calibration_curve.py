"""The plot of the calibration of small bots: its formula, and what the bots' queries would fit.

    python -m benchmarks.accuracy.calibration heldout > calibration.jsonl
    python -m benchmarks.accuracy.calibration_curve calibration.jsonl --plot calibration_curve.png

A point is a model on bots of one size: the mean threshold of the sigmoids that fit the queries of
each bot, with the standard deviation over the bots. A line is the threshold that the runtime
expects of bots with so many intents (``runtime/decision/logistic/calibration.py``).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from pocketintent.runtime.decision.logistic.calibration import expected_sigmoid
from pocketintent.runtime.errors import require

TEMPLATES = [1 + step / 10 for step in range(111)]
"""Numbers of templates of the lines, 1 to 12."""


class Point(NamedTuple):
    """A model on bots of one size."""

    model: str
    bots: str
    num_intents: float
    num_templates: float
    threshold: float
    std: float


def read_points(file: Path) -> list[Point]:
    """The points of the lines that ``benchmarks.accuracy.calibration`` prints."""
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return [
        Point(
            Path(line["model"]).stem,
            line["bots"],
            line["num_intents"],
            line["num_templates"],
            line["fitted_threshold"]["mean"],
            line["fitted_threshold"]["std"],
        )
        for line in lines
        if line["formula"] == "now"
    ]


def expected_threshold(num_intents: float, num_templates: float) -> float:
    """The logit whose probability is one half, by the formula of the runtime."""
    expected = expected_sigmoid(round(num_intents), num_templates)
    return -expected.intercept / expected.slope


def plot_curve(points: Sequence[Point], path: Path) -> None:
    """Draw a line for each number of intents, and the points around it."""
    figure = require("matplotlib.figure", "evaluate").Figure((7, 4.5))
    panel = figure.subplots()
    colors = {
        number: f"C{place}" for place, number in enumerate(sorted({p.num_intents for p in points}))
    }
    for number, color in colors.items():
        expected = [expected_threshold(number, templates) for templates in TEMPLATES]
        panel.plot(TEMPLATES, expected, color=color, label=f"formula, {number:.0f} intents")
    names = list(dict.fromkeys((point.model, point.bots) for point in points))
    for place, (model, bots) in enumerate(names):
        own = [point for point in points if (point.model, point.bots) == (model, bots)]
        marker = "osD^v<>pP*X"[place % 11]
        panel.plot([], [], marker, color="gray", label=f"{model}, {bots}")
        for point in own:
            panel.errorbar(
                # Models beside each other, where they have the same bots.
                point.num_templates * (1 + 0.02 * (place - len(names) / 2)),
                point.threshold,
                point.std,
                fmt=marker,
                markersize=5,
                color=colors[point.num_intents],
            )
    panel.set_xlabel("templates per intent")
    panel.set_ylabel("logit of probability 0.5")
    panel.grid(alpha=0.3)
    panel.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def main(argv: Sequence[str] | None = None) -> int:
    """Draw the plot."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path, help="what benchmarks.accuracy.calibration printed")
    parser.add_argument("--plot", type=Path, required=True, metavar="FILE.png")
    args = parser.parse_args(argv)
    plot_curve(read_points(args.file), args.plot)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
