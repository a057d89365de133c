"""``pocketintent evaluate intents``: few-shot intent recognition, and refusals of other texts."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from pocketintent.cli.evaluate.out_of_scope import measure_calibration, measure_refusals
from pocketintent.cli.options.files import input_file, output_file
from pocketintent.cli.options.numbers import number, whole_numbers
from pocketintent.cli.options.shared import INTENT_DATA, add, decisions_of, refuse_options
from pocketintent.cli.output import print_reports
from pocketintent.cli.progress import Progress
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.files.model_file import load_model
from pocketintent.runtime.files.shipped_models import find_model

EXAMPLES = """\
examples:
  pocketintent evaluate intents intents/clinc150 --shots 5,10 --runs 3 --split valid
  pocketintent evaluate intents intents/clinc150 intents/banking77 intents/snips \\
      --baselines tfidf,tfidf-chars,tfidf-logreg \\
      --out curves.json --plot curves.png
  pocketintent evaluate intents intents/clinc150 --oos --shots 10,50 --runs 3
  pocketintent evaluate intents intents/clinc150 intents/banking77 intents/snips --calibration \\
      --outside intents/clinc150/oos_test.jsonl --plot reliability.png

With --oos, each line says how well the score tells out-of-scope texts from those of an intent,
with the threshold that is best on `valid`. With --calibration it says whether the scores of the
decision logistic are probabilities, and what a threshold refuses and accepts. The expected
calibration error is the mean distance between score and share of right intents over ten bins of
scores: ece_third with out-of-scope texts weighing a third, as the calibration assumes, ece_half
with a half, ece_none with in-scope texts alone."""

_SHOTS = {None: (5, 10, 20, 30, 40, 50), "oos": (50,), "calibration": (5, 10, 30)}
"""Numbers of templates per intent by default: of learning curves, and of the two other measures."""

_CURVES = ("search", "baselines", "out")
_UNUSED = {
    None: (("outside", "threshold"), "requires --calibration"),
    "oos": ((*_CURVES, "split", "plot", "outside", "threshold"), "has no effect with --oos"),
    "calibration": ((*_CURVES, "decision"), "has no effect with --calibration"),
}
"""Options without effect on each measure, and why."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``evaluate intents``."""
    parser.description = (
        "Measure few-shot accuracy and macro-F1, or how well other texts are refused. Prints a "
        "JSON line for each data set, with --oos for each number of templates."
    )
    parser.epilog = EXAMPLES
    parser.set_defaults(run=run)
    add(parser, "--model", *INTENT_DATA)
    add(parser, "--decision", help="measure this decision alone (all)")
    measure = parser.add_mutually_exclusive_group()
    measure.add_argument(
        "--oos",
        dest="measure",
        action="store_const",
        const="oos",
        help="measure how well the score tells out-of-scope texts; the folders have valid, "
        "oos_valid and oos_test .jsonl too, as CLINC150",
    )
    measure.add_argument(
        "--calibration",
        dest="measure",
        action="store_const",
        const="calibration",
        help="measure whether scores are probabilities, and what a threshold refuses and accepts",
    )
    parser.add_argument(
        "--shots",
        type=whole_numbers(1),
        metavar="N,…",
        help="templates per intent (5,10,20,30,40,50; with --oos 50; with --calibration 5,10,30)",
    )
    add(parser, "--runs", default=10)
    add(parser, "--seed")
    add(
        parser,
        "--search",
        choices=("exact", "table"),
        default="exact",
        help="templates as vectors, or quantised as in a recogniser and compared with the answers "
        "of the vectors (%(default)s)",
    )
    parser.add_argument(
        "--baselines",
        type=_names,
        default=[],
        metavar="NAME,…",
        help="systems to measure on the same draws: tfidf, tfidf-chars, tfidf-logreg, and "
        "those of the laboratory where it is installed (none)",
    )
    add(parser, "--plot", help="draw the learning curves or, with --calibration, the reliability")
    parser.add_argument(
        "--out",
        type=output_file,
        metavar="FILE.json",
        help="keep the results in this file; the same command continues an interrupted run",
    )
    parser.add_argument(
        "--outside",
        type=input_file,
        help='with --calibration: out-of-scope texts for all folders, lines of {"text"} '
        "(oos_test.jsonl of the folder)",
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
    refuse_options(args, *_UNUSED[args.measure])
    args.shots = args.shots or _SHOTS[args.measure]
    measures = {"oos": measure_refusals, "calibration": measure_calibration}
    measures.get(args.measure, _print_curves)(args)
    return 0


def _print_curves(args: argparse.Namespace) -> None:
    from pocketintent.evaluation.intents.line_plot import plot_curves

    print_reports(_measure_curves(args), plot_curves, args.plot)


def _measure_curves(args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """The accuracies of the model and of the baselines, for each data set."""
    from pocketintent.evaluation.intents.baselines import make_systems
    from pocketintent.evaluation.intents.curves import ResultFile, learning_curves
    from pocketintent.evaluation.intents.datasets import load_intent_data

    encoder = load_encoder(args.model)
    systems = make_systems(encoder, args.baselines, decisions_of(args), args.search)
    data_sets = [
        load_intent_data(directory, args.split, learn_names=args.learn_names)
        for directory in args.directories
    ]
    model = load_model(find_model(args.model))
    settings = {
        "runs": args.runs,
        "seed": args.seed,
        "search": args.search,
        "decisions": list(decisions_of(args)),
        "learn_names": args.learn_names,
    }
    results = ResultFile(args.out, {"model": model.manifest["sha256"], **settings})
    for data in data_sets:
        with Progress("draws") as progress:
            report = learning_curves(
                systems,
                data,
                shots=args.shots,
                runs=args.runs,
                seed=args.seed,
                results=results,
                progress=progress.count(data.name, len(systems) * len(args.shots) * args.runs),
            )
        yield {**report, "model": str(model.path), "search": args.search}


def _names(text: str) -> list[str]:
    """Argument type: names separated by commas."""
    return [name.strip() for name in text.split(",") if name.strip()]
