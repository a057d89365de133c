"""The plot of size, time and accuracy, from reports of the same bots and data sets.

    pocketintent evaluate bots bots/test --model default > default.jsonl
    pocketintent evaluate intents intents/clinc150 … --model default --decision logistic \
        --shots 10 >> default.jsonl
    python -m benchmarks.accuracy.intents --data DATA --shots 10 --systems model2vec,minilm \
        > others.jsonl
    python -m benchmarks.accuracy.size_plot default=default.jsonl others.jsonl \
        --times default=2300 minilm=5000 --plot accuracy_size.png

A file has the JSON lines of ``pocketintent evaluate bots``, ``evaluate intents`` or
``accuracy.intents``. NAME=FILE names the system of rows that do not name it themselves. The time of
a query, in microseconds, is written beside the name of a system, and is the area of its mark.
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
SIZES = {"model2vec": 15.6, "minilm": 90.9, "mpnet": 438.0}
"""Size of the other systems in MB, as docs/figures.md has them."""
LABELS = {"minilm": "MiniLM"}
TITLES = {"clinc150": "CLINC150", "banking77": "BANKING77", "snips": "SNIPS"}
_BOTS = "bots, free phrasings"


class Point(NamedTuple):
    """A system on a data set."""

    name: str
    size: float
    """In MB."""
    accuracy: float
    std: float


def read_points(
    files: Iterable[tuple[str | None, Path]], shots: int, decision: str
) -> dict[str, list[Point]]:
    """The points of each data set: accuracy, and for bots the share with the right best intent.

    Args:
        files: Reports, with the name of the system of rows that do not name theirs, or None.
        shots: Number of templates per intent of data sets; bots have theirs.
        decision: Rows of other decisions are left out.

    Raises:
        PocketIntentError: A system has no name, or no known size.
    """
    points: dict[str, list[Point]] = {}
    for own, file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            report: dict[str, Any] = json.loads(line)
            of_bots = "num_bots" in report
            for row in report["results"]:
                if not of_bots and (row["shots"] != shots or row["decision"] != decision):
                    continue
                named = row.get("system", OURS)
                name = own if named == OURS else named
                if name is None:
                    raise PocketIntentError(f"{file}: say whose rows these are: NAME={file}")
                figure = row["in_front" if of_bots else "accuracy"]
                # Bots differ among each other; the deviation of draws is one of measurement.
                point = Point(name, size_of(name), figure["mean"], 0 if of_bots else figure["std"])
                points.setdefault(_BOTS if of_bots else report["dataset"], []).append(point)
    return points


def size_of(name: str) -> float:
    """The size of a system in MB: that of a shipped model's file, or of ``SIZES``."""
    if name in bundled_models():
        return find_model(name).stat().st_size / 1e6
    if name not in SIZES:
        raise PocketIntentError(f"the size of {name!r} is not known; known: {', '.join(SIZES)}")
    return SIZES[name]


def plot_sizes(
    points: Mapping[str, Sequence[Point]], times: Mapping[str, float], shots: int, path: Path
) -> None:
    """Draw a panel for each data set, with the sizes on a logarithmic axis."""
    figure = require("matplotlib.figure", "evaluate").Figure((4.2 * len(points), 3.6))
    panels = figure.subplots(1, len(points), squeeze=False)
    for panel, (dataset, found) in zip(panels[0], points.items(), strict=True):
        for point in found:
            color = "tab:blue" if point.name in bundled_models() else "tab:gray"
            time = times.get(point.name)
            width = 6 if time is None else 1.2 * time**0.25
            panel.errorbar(
                point.size, point.accuracy, point.std, fmt="o", color=color, markersize=width
            )
            panel.annotate(
                LABELS.get(point.name, point.name) + ("" if time is None else f", {_time(time)}"),
                (point.size, point.accuracy),
                xytext=(6, 6),
                textcoords="offset points",
            )
        panel.set_xscale("log")
        panel.set_xlim(0.5, 4000)
        panel.margins(y=0.15)
        panel.set_xlabel("size in MB")
        panel.set_title(TITLES.get(dataset, dataset))
        panel.set_ylabel(
            "right intent in front" if dataset == _BOTS else f"accuracy, {shots} templates"
        )
        panel.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def _time(microseconds: float) -> str:
    if microseconds < 1000:
        return f"{microseconds:.0f} µs"
    return f"{microseconds / 1000:.2g} ms"


def main(argv: Sequence[str] | None = None) -> int:
    """Read the reports and draw the plot."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("reports", nargs="+", metavar="[NAME=]FILE")
    parser.add_argument("--times", nargs="*", default=[], metavar="NAME=US", help="of a query")
    parser.add_argument("--shots", type=int, default=10, metavar="N", help="(%(default)s)")
    parser.add_argument("--decision", default="logistic", metavar="NAME", help="(%(default)s)")
    parser.add_argument("--plot", type=Path, required=True, metavar="FILE.png")
    args = parser.parse_args(argv)
    reports = [entry.rpartition("=") for entry in args.reports]
    files = [(name or None, Path(file)) for name, _, file in reports]
    times = {name: float(time) for name, _, time in (own.partition("=") for own in args.times)}
    points = read_points(files, args.shots, args.decision)
    for dataset, found in points.items():
        print(json.dumps({"dataset": dataset, "systems": [point._asdict() for point in found]}))
    plot_sizes(points, times, args.shots, args.plot)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
