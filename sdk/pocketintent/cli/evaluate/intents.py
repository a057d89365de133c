r"""Measure few-shot accuracy and macro-F1, or how well other texts are refused.

Prints a JSON line for each folder, with --oos for each number of templates.

Examples:
  pocketintent evaluate intents intents/clinc150 --shots 5,10 --runs 3 --split valid
  pocketintent evaluate intents intents/clinc150 intents/banking77 intents/snips \
      --baselines tfidf,tfidf-chars,tfidf-logreg \
      --out curves.json --plot curves.png
  pocketintent evaluate intents intents/clinc150 --oos --shots 10,50 --runs 3
  pocketintent evaluate intents intents/clinc150 intents/banking77 intents/snips --calibration \
      --outside intents/clinc150/oos_test.jsonl --plot reliability.png

With --oos, each line has the threshold that is best on `valid`, and its figures on `test`. With
--calibration, ece_third is the expected calibration error with a third of out-of-scope texts, as
the scores assume, ece_half with a half, ece_none without. docs/evaluation.md has the other keys.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from pocketintent.cli.evaluate.folders import add_options, each_folder, print_reports
from pocketintent.cli.options.shared import add, refuse_options
from pocketintent.cli.options.types import input_file, number, output_file, whole_numbers
from pocketintent.cli.output import Progress
from pocketintent.runtime.encoders.registry import encoder_of
from pocketintent.runtime.files.model_file import ModelFile, load_model
from pocketintent.runtime.files.shipped_models import find_model

_MEASURES = {
    "oos": "measure how well the score tells the texts of oos_valid.jsonl and oos_test.jsonl",
    "calibration": "measure whether scores are probabilities, and what --threshold refuses",
}
"""Options of the measures beside learning curves, and what they do."""

_SHOTS = {None: (5, 10, 20, 30, 40, 50), "oos": (50,), "calibration": (5, 10, 30)}
"""Numbers of templates per intent by default; None is the measure of learning curves."""

_CURVES = ("search", "baselines", "out")
_UNUSED = {
    None: (("outside", "threshold"), "requires --calibration"),
    "oos": ((*_CURVES, "split", "plot", "outside", "threshold"), "has no effect with --oos"),
    "calibration": ((*_CURVES, "decision"), "has no effect with --calibration"),
}
"""Options without effect on each measure, and why."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``evaluate intents``."""
    add(parser, "--model")
    plot = "draw the learning curves or, with --calibration, the reliability"
    add_options(parser, runs=10, plot=plot)
    measure = parser.add_mutually_exclusive_group()
    for name, meaning in _MEASURES.items():
        measure.add_argument(
            f"--{name}", dest="measure", action="store_const", const=name, help=meaning
        )
    parser.add_argument(
        "--shots",
        type=whole_numbers(1),
        metavar="N,…",
        help="templates per intent (5,10,20,30,40,50; with --oos 50; with --calibration 5,10,30)",
    )
    add(
        parser,
        "--search",
        choices=("exact", "table"),
        default="exact",
        help="templates as vectors, or quantised and compared with these (%(default)s)",
    )
    parser.add_argument(
        "--baselines",
        default="",
        metavar="NAME,…",
        help="systems to measure too: tfidf, tfidf-chars, tfidf-logreg, the laboratory's (none)",
    )
    parser.add_argument(
        "--out",
        type=output_file,
        metavar="FILE.json",
        help="keep the results in this file; the same command continues an interrupted run",
    )
    parser.add_argument(
        "--outside",
        type=input_file,
        help="with --calibration: out-of-scope texts for all folders (oos_test.jsonl of each)",
    )
    add(
        parser,
        "--threshold",
        type=number(least=0, most=1),
        default=0.5,
        help="with --calibration: scores under it are refused (%(default)s)",
    )


def run(args: argparse.Namespace) -> int:
    """Measure the model on random draws of one or more data sets."""
    from pocketintent.evaluation.intents.line_plot import plot_curves
    from pocketintent.evaluation.intents.reliability_plot import plot_reliability

    refuse_options(args, *_UNUSED[args.measure])
    args.shots = args.shots or _SHOTS[args.measure]
    measure = {None: _curves, "oos": _refusals, "calibration": _calibrations}[args.measure]
    draw = plot_curves if args.measure is None else plot_reliability
    return print_reports(measure(args, load_model(find_model(args.model))), draw, args.plot)


def _curves(args: argparse.Namespace, model: ModelFile) -> Iterator[dict[str, Any]]:
    """The accuracies of the model and of the baselines, for each folder."""
    from pocketintent.evaluation.intents.baselines import make_systems
    from pocketintent.evaluation.intents.curves import ResultFile, learning_curves

    baselines = [name.strip() for name in args.baselines.split(",") if name.strip()]
    systems = make_systems(encoder_of(model), baselines, args.decision, args.search)
    settings = {
        "model": model.manifest["sha256"],
        "runs": args.runs,
        "seed": args.seed,
        "search": args.search,
        "decisions": list(args.decision),
        "learn_names": args.learn_names,
    }
    results = ResultFile(args.out, settings)
    num_draws = len(systems) * len(args.shots) * args.runs
    for data, draws in each_folder(args, "draws", num_draws):
        report = learning_curves(systems, data, results=results, **draws)
        yield {**report, "model": str(model.path), "search": args.search}


def _refusals(args: argparse.Namespace, model: ModelFile) -> Iterator[dict[str, Any]]:
    """How well the score tells out-of-scope texts, for each folder and number of shots."""
    from pocketintent.evaluation.intents.out_of_scope import evaluate_out_of_scope

    encoder = encoder_of(model)
    for folder in args.directories:
        with Progress("draws") as progress:
            for report in evaluate_out_of_scope(
                encoder,
                folder,
                shots=args.shots,
                runs=args.runs,
                decisions=args.decision,
                seed=args.seed,
                learn_names=args.learn_names,
                progress=progress.count("oos", len(args.shots) * args.runs),
            ):
                yield {**report, "model": str(model.path)}


def _calibrations(args: argparse.Namespace, model: ModelFile) -> Iterator[dict[str, Any]]:
    """Whether the scores are probabilities, for each folder."""
    from pocketintent.evaluation.intents.out_of_scope import evaluate_calibration
    from pocketintent.evaluation.records import own_outside_file, read_outside_texts

    encoder = encoder_of(model)
    files = [args.outside or own_outside_file(path, args.split) for path in args.directories]
    texts = [read_outside_texts(path) for path in files]
    folders = each_folder(args, "draws", len(args.shots) * args.runs)
    for (data, draws), path, outside in zip(folders, files, texts, strict=True):
        report = evaluate_calibration(encoder, data, outside, threshold=args.threshold, **draws)
        yield {**report, "model": str(model.path), "outside": str(path)}
