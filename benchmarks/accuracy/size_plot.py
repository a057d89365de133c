"""The plot of accuracy against size, from reports of the same data sets.

    pocketintent evaluate intents intents/clinc150 … --model default --decision logistic \
        --shots 10 > default.jsonl
    python -m benchmarks.accuracy.intents --data DATA --shots 10 --systems model2vec,minilm \
        > others.jsonl
    python -m benchmarks.accuracy.size_plot default.jsonl others.jsonl \
        --names default=default.jsonl --plot accuracy_size.png

Each file has the JSON lines of ``pocketintent evaluate intents`` or ``accuracy.intents``.
``--names NAME=FILE`` names the model that a file's rows of ``pocketintent`` belong to.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pocketintent.runtime.errors import PocketIntentError, require
from pocketintent.runtime.files.shipped_models import bundled_models, find_model

OURS = "pocketintent"
SIZES = {"model2vec": 15.6, "minilm": 90.9}
"""Size of the other systems in MB, as docs/figures.md has them."""
LABELS = {"model2vec": "model2vec", "minilm": "MiniLM (float32)"}
TITLES = {"clinc150": "CLINC150", "banking77": "BANKING77", "snips": "SNIPS"}


class Point(NamedTuple):
    """A system on a data set."""

    name: str
    size: float
    """In MB."""
    accuracy: float
    std: float


def read_points(
    files: Iterable[Path], names: Mapping[str, str], shots: int, decision: str
) -> dict[str, list[Point]]:
    """The points of each data set.

    Args:
        files: Reports.
        names: The model of each file, by its path, where a row is one of ``pocketintent``.
        shots: Number of templates per intent.
        decision: Rows of other decisions are left out.

    Raises:
        PocketIntentError: A system has no known size.
    """
    points: dict[str, list[Point]] = {}
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            report: dict[str, Any] = json.loads(line)
            for row in report["results"]:
                if row["shots"] != shots or row["decision"] != decision:
                    continue
                name = row["system"]
                name = names.get(str(file), name) if name == OURS else name
                accuracy = row["accuracy"]
                point = Point(name, size_of(name), accuracy["mean"], accuracy["std"])
                points.setdefault(report["dataset"], []).append(point)
    return points


def size_of(name: str) -> float:
    """The size of a system in MB: that of a shipped model's file, or of ``SIZES``."""
    if name in bundled_models():
        return find_model(name).stat().st_size / 1e6
    if name not in SIZES:
        raise PocketIntentError(f"the size of {name!r} is not known; known: {', '.join(SIZES)}")
    return SIZES[name]


def plot_sizes(points: Mapping[str, Sequence[Point]], shots: int, path: Path) -> None:
    """Draw a panel for each data set, with the sizes on a logarithmic axis."""
    figure = require("matplotlib.figure", "evaluate").Figure((4.2 * len(points), 3.6))
    panels = figure.subplots(1, len(points), squeeze=False)
    for panel, (dataset, found) in zip(panels[0], points.items(), strict=True):
        for point in found:
            color = "tab:blue" if point.name in bundled_models() else "tab:gray"
            panel.errorbar(point.size, point.accuracy, point.std, fmt="o", color=color)
            panel.annotate(
                LABELS.get(point.name, point.name),
                (point.size, point.accuracy),
                xytext=(6, 6),
                textcoords="offset points",
            )
        panel.set_xscale("log")
        panel.set_xlim(0.5, 1500)
        panel.set_xlabel("size in MB")
        panel.set_title(TITLES.get(dataset, dataset))
        panel.grid(alpha=0.3)
    panels[0][0].set_ylabel(f"accuracy, {shots} templates per intent")
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def main(argv: Sequence[str] | None = None) -> int:
    """Read the reports and draw the plot."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("reports", type=Path, nargs="+", metavar="FILE")
    parser.add_argument("--names", nargs="*", default=[], metavar="NAME=FILE")
    parser.add_argument("--shots", type=int, default=10, metavar="N", help="(%(default)s)")
    parser.add_argument("--decision", default="logistic", metavar="NAME", help="(%(default)s)")
    parser.add_argument("--plot", type=Path, required=True, metavar="FILE.png")
    args = parser.parse_args(argv)
    names = {file: name for name, _, file in (entry.partition("=") for entry in args.names)}
    points = read_points(args.reports, names, args.shots, args.decision)
    for dataset, found in points.items():
        print(json.dumps({"dataset": dataset, "systems": [point._asdict() for point in found]}))
    plot_sizes(points, args.shots, args.plot)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
