"""What the tasks on folders of intents share: options, reading the folders, and the reports."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pocketintent.cli.options.shared import add
from pocketintent.cli.output import Progress, print_json, print_note
from pocketintent.runtime.decision.registry import DECISIONS

if TYPE_CHECKING:
    from pocketintent.evaluation.intents.datasets import IntentData


def add_options(parser: argparse.ArgumentParser, *, runs: int, plot: str) -> None:
    """Add the folders, the options of their draws, and ``--plot``, whose help is ``plot``."""
    add(parser, "directories", "--split", "--no-names")
    add(parser, "--decision", nargs=1, default=DECISIONS, help="measure this decision alone (all)")
    add(parser, "--runs", default=runs)
    add(parser, "--seed")
    add(parser, "--plot", help=plot)


def each_folder(
    args: argparse.Namespace, unit: str, num_steps: int
) -> Iterator[tuple[IntentData, dict[str, Any]]]:
    """Yield the data of each folder, all of which is read before the first is measured.

    The second item has the arguments of its draws: ``shots``, ``runs``, ``seed`` and ``progress``,
    which is called after each of ``num_steps`` steps; ``unit`` names them, in the plural.
    """
    from pocketintent.evaluation.intents.datasets import load_intent_data

    data_sets = [
        load_intent_data(folder, args.split, learn_names=args.learn_names)
        for folder in args.directories
    ]
    draws = {"shots": args.shots, "runs": args.runs, "seed": args.seed}
    for data in data_sets:
        with Progress(unit) as progress:
            yield data, {**draws, "progress": progress.count(data.name, num_steps)}


def print_reports(
    reports: Iterable[dict[str, Any]], draw: Callable[..., None], plot: Path | None
) -> int:
    """Print reports as they are made, then draw them if a plot is asked for; the exit status."""
    made = []
    for report in reports:
        print_json(report)
        made.append(report)
    if plot is not None:
        draw(made, plot)
        print_note(f"plot: {plot}")
    return 0
