"""What the tasks on folders of intents share: reading the folders, and printing the reports."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pocketintent.cli.output import Progress, print_json, print_note

if TYPE_CHECKING:
    from pocketintent.evaluation.intents.datasets import IntentData


def each_folder(
    args: argparse.Namespace, unit: str, num_steps: int
) -> Iterator[tuple[Path, IntentData, dict[str, Any]]]:
    """Yield each folder with its data, all of which is read before the first is measured.

    The third item has the arguments of its draws: ``shots``, ``runs``, ``seed`` and ``progress``,
    which is called after each of ``num_steps`` steps; ``unit`` names them, in the plural.
    """
    from pocketintent.evaluation.intents.datasets import load_intent_data

    data_sets = [
        load_intent_data(folder, args.split, learn_names=args.learn_names)
        for folder in args.directories
    ]
    draws = {"shots": args.shots, "runs": args.runs, "seed": args.seed}
    for folder, data in zip(args.directories, data_sets, strict=True):
        with Progress(unit) as progress:
            yield folder, data, {**draws, "progress": progress.count(data.name, num_steps)}


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
