"""``pocketintent evaluate typing-errors``: intents of misspelt utterances, by several models."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pocketintent.cli.options.model import MODEL_HELP
from pocketintent.cli.options.numbers import whole_number, whole_numbers
from pocketintent.cli.options.shared import INTENT_DATA, Distinct, add, decisions_of
from pocketintent.cli.output import print_reports
from pocketintent.cli.progress import Progress
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.files.shipped_models import find_model

EXAMPLES = """\
examples:
  pocketintent evaluate typing-errors intents/clinc150 --model default tiny.safetensors
  pocketintent evaluate typing-errors intents/clinc150 intents/banking77 intents/snips \\
      --model default tiny.safetensors --split valid --decision logistic --plot typing.png

An error swaps a letter with the next, drops it, doubles it, replaces it by a neighbouring key of
a QWERTY keyboard, or adds such a key after it. Templates stay clean. Every model sees the same
templates and the same errors; an utterance with two errors has the error of the utterance with
one, and another."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``evaluate typing-errors``."""
    parser.description = (
        "Measure intent recognition with random typing errors in each utterance, for several "
        "models side by side. Prints a JSON line for each folder."
    )
    parser.epilog = EXAMPLES
    parser.set_defaults(run=run)
    add(parser, *INTENT_DATA)
    add(parser, "--decision", help="measure this decision alone (all)")
    parser.add_argument(
        "--model",
        action=Distinct,
        nargs="+",
        default=["default"],
        metavar="MODEL",
        help=f"each is {MODEL_HELP} (default)",
    )
    parser.add_argument(
        "--shots", type=whole_number(1), default=10, help="templates per intent (10)"
    )
    parser.add_argument(
        "--errors",
        type=whole_numbers(0),
        default=(0, 1, 2, 3),
        metavar="N,…",
        help="typing errors in each utterance (0,1,2,3)",
    )
    add(parser, "--runs", default=2, help="random draws of templates and errors (2)")
    add(parser, "--seed")
    add(parser, "--plot", help="draw accuracy against typing errors")


def run(args: argparse.Namespace) -> int:
    """Measure the models on each folder."""
    from pocketintent.evaluation.intents.line_plot import plot_typing_errors

    print_reports(_measure(args), plot_typing_errors, args.plot)
    return 0


def _measure(args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    from pocketintent.evaluation.intents.datasets import load_intent_data
    from pocketintent.evaluation.intents.robustness import evaluate_typing_errors

    models = _model_paths(args.model)
    encoders = {name: load_encoder(path) for name, path in models.items()}
    data_sets = [
        load_intent_data(folder, args.split, learn_names=args.learn_names)
        for folder in args.directories
    ]
    for data in data_sets:
        with Progress("runs") as progress:
            report = evaluate_typing_errors(
                encoders,
                data,
                shots=args.shots,
                errors=args.errors,
                runs=args.runs,
                decisions=decisions_of(args),
                seed=args.seed,
                progress=progress.count(data.name, len(encoders) * args.runs),
            )
        yield {**report, "models": {name: str(path) for name, path in models.items()}}


def _model_paths(names: list[str]) -> dict[str, Path]:
    """The files of the models, by their names without folder and suffix where those differ."""
    stems = [Path(name).stem for name in names]
    return {
        name if stems.count(stem) > 1 else stem: find_model(name)
        for name, stem in zip(names, stems, strict=True)
    }
