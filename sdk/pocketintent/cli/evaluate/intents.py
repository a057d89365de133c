"""``pocketintent evaluate intents``: few-shot intent recognition, beside baselines."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from pocketintent.cli.options.decision import add_decisions_option, decisions_of
from pocketintent.cli.options.draws import add_draw_options
from pocketintent.cli.options.files import output_file
from pocketintent.cli.options.intent_data import add_intent_data_options
from pocketintent.cli.options.model import add_model_option
from pocketintent.cli.options.plot import add_plot_option
from pocketintent.cli.output import print_json, print_note
from pocketintent.cli.progress import Progress
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.model_file import load_model
from pocketintent.runtime.files.shipped_models import find_model

if TYPE_CHECKING:
    from pocketintent.evaluation.intents.curves import ResultFile
    from pocketintent.evaluation.intents.datasets import IntentData
    from pocketintent.evaluation.intents.systems import System

OURS = "pocketintent"
"""Name of the model under test among the systems of a report."""

EXAMPLES = """\
examples:
  pocketintent evaluate intents intents/clinc150 --shots 5,10 --runs 3 --split valid
  pocketintent evaluate intents intents/clinc150 intents/banking77 intents/snips \\
      --baselines tfidf,tfidf-chars,tfidf-logreg \\
      --out curves.json --plot curves.png"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``evaluate intents``."""
    parser.description = (
        "Measure few-shot accuracy and macro-F1. Prints a JSON line for each data set."
    )
    parser.epilog = EXAMPLES
    parser.set_defaults(run=run)
    add_model_option(parser)
    add_intent_data_options(parser)
    add_draw_options(parser, default_shots=(5, 10, 20, 30, 40, 50))
    parser.add_argument(
        "--search",
        choices=("exact", "table"),
        default="exact",
        help="templates as vectors, or quantised as in a recogniser and compared with the answers "
        "of the vectors (%(default)s)",
    )
    add_decisions_option(parser)
    parser.add_argument(
        "--baselines",
        type=_names,
        default=[],
        metavar="NAME,…",
        help="systems to measure on the same draws: tfidf, tfidf-chars, tfidf-logreg, and "
        "those of the laboratory where it is installed (none)",
    )
    add_plot_option(parser, "learning curves")
    parser.add_argument(
        "--out",
        type=output_file,
        metavar="FILE.json",
        help="keep the results in this file; the same command continues an interrupted run",
    )


def run(args: argparse.Namespace) -> int:
    """Measure the model and the baselines on random draws of one or more data sets."""
    from pocketintent.evaluation.intents.curves import ResultFile
    from pocketintent.evaluation.intents.datasets import load_intent_data

    systems = _make_systems(args)
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
    reports = []
    for data in data_sets:
        report = _measure(systems, data, results, args)
        report = {**report, "model": str(model.path), "search": args.search}
        print_json(report)
        reports.append(report)
    if args.plot is not None:
        from pocketintent.evaluation.intents.line_plot import plot_curves

        plot_curves(reports, args.plot)
        print_note(f"plot: {args.plot}")
    return 0


def _measure(
    systems: dict[str, Callable[[], System]],
    data: IntentData,
    results: ResultFile,
    args: argparse.Namespace,
) -> dict[str, Any]:
    """The report of all systems on one data set."""
    from pocketintent.evaluation.intents.curves import learning_curves

    with Progress("draws") as progress:
        return learning_curves(
            systems,
            data,
            shots=args.shots,
            runs=args.runs,
            seed=args.seed,
            results=results,
            progress=progress.count(data.name, len(systems) * len(args.shots) * args.runs),
        )


def _make_systems(args: argparse.Namespace) -> dict[str, Callable[[], System]]:
    """A function that makes each system, by its name; the model under test is the first."""
    from pocketintent.evaluation.intents.baselines import baseline_names, make_baseline
    from pocketintent.evaluation.intents.systems import EncoderSystem

    for name in args.baselines:
        if name not in baseline_names():
            raise PocketIntentError(
                f"--baselines: unknown baseline {name!r}; choose from {', '.join(baseline_names())}"
            )
    encoder = load_encoder(args.model)
    systems: dict[str, Callable[[], System]] = {
        OURS: lambda: EncoderSystem(encoder, decisions_of(args), args.search)
    }
    for name in args.baselines:
        systems[name] = partial(make_baseline, name, encoder)
    return systems


def _names(text: str) -> list[str]:
    """Argument type: names separated by commas."""
    return [name.strip() for name in text.split(",") if name.strip()]
