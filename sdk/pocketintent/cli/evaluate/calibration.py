"""``pocketintent evaluate calibration``: is the score the probability of the intent?"""

from __future__ import annotations

import argparse
from pathlib import Path

from pocketintent.cli.options.draws import add_draw_options
from pocketintent.cli.options.files import input_file
from pocketintent.cli.options.intent_data import add_intent_data_options
from pocketintent.cli.options.model import add_model_option
from pocketintent.cli.options.numbers import number
from pocketintent.cli.options.plot import add_plot_option
from pocketintent.cli.output import print_json, print_note
from pocketintent.cli.progress import Progress
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.shipped_models import find_model

EXAMPLES = """\
examples:
  pocketintent evaluate calibration intents/clinc150 --split valid --runs 3
  pocketintent evaluate calibration intents/clinc150 intents/banking77 intents/snips \\
      --outside intents/clinc150/oos_test.jsonl --plot reliability.png

Measures the decision logistic. The expected calibration error is the mean distance between score
and share of right intents over ten bins of scores: ece_third with out-of-scope texts weighing a
third, as the calibration assumes, ece_half with a half, ece_none with in-scope texts alone."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``evaluate calibration``."""
    parser.description = (
        "Measure whether scores are probabilities, and what a threshold refuses and accepts. "
        "Prints a JSON line for each data set, with the file of the model."
    )
    parser.epilog = EXAMPLES
    parser.set_defaults(run=run)
    add_model_option(parser)
    add_intent_data_options(parser)
    parser.add_argument(
        "--outside",
        type=input_file,
        metavar="FILE",
        help='out-of-scope texts for all folders, lines of {"text"} (oos_test.jsonl of the folder)',
    )
    add_draw_options(parser, default_shots=(5, 10, 30))
    parser.add_argument(
        "--threshold",
        type=number(least=0, most=1),
        default=0.5,
        metavar="X",
        help="scores under it are refused (%(default)s)",
    )
    add_plot_option(parser, "reliability: the share of right intents against the score")


def run(args: argparse.Namespace) -> int:
    """Measure the calibration on each folder."""
    from pocketintent.evaluation.intents.calibration import (
        evaluate_calibration,
        read_outside_texts,
    )
    from pocketintent.evaluation.intents.datasets import load_intent_data

    inputs = []
    for folder in args.directories:
        path = args.outside or _own_outside_texts(folder, args.split)
        data = load_intent_data(folder, args.split, learn_names=args.learn_names)
        inputs.append((data, path, read_outside_texts(path)))
    encoder = load_encoder(args.model)
    reports = []
    for data, path, outside in inputs:
        with Progress("draws") as progress:
            report = evaluate_calibration(
                encoder,
                data,
                outside,
                shots=args.shots,
                runs=args.runs,
                seed=args.seed,
                threshold=args.threshold,
                progress=progress.count(data.name, len(args.shots) * args.runs),
            )
        report = {**report, "model": str(find_model(args.model)), "outside": str(path)}
        print_json(report)
        reports.append(report)
    if args.plot is not None:
        from pocketintent.evaluation.intents.reliability_plot import plot_reliability

        plot_reliability(reports, args.plot)
        print_note(f"plot: {args.plot}")
    return 0


def _own_outside_texts(folder: Path, split: str) -> Path:
    """The file of out-of-scope texts in a folder.

    Raises:
        PocketIntentError: The folder has none.
    """
    path = folder / f"oos_{split}.jsonl"
    if not path.is_file():
        raise PocketIntentError(
            f"{folder} has no {path.name}; give out-of-scope texts by --outside FILE, lines of "
            '{"text": "…"}'
        )
    return path
