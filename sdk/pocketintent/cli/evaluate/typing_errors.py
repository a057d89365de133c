r"""Measure several models on utterances with random typing errors.

Prints a JSON line for each folder.

Examples:
  pocketintent evaluate typing-errors intents/clinc150 --model default fast tiny
  pocketintent evaluate typing-errors intents/clinc150 intents/banking77 intents/snips \
      --model default tiny.safetensors --split valid --decision logistic --plot typing.png

An error swaps a letter with the next, drops or doubles it, or puts a neighbouring key in its place
or after it. Every model sees the same errors; templates stay clean.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pocketintent.cli.evaluate.folders import add_options, each_folder, print_reports
from pocketintent.cli.options.model import MODEL_HELP
from pocketintent.cli.options.shared import Distinct
from pocketintent.cli.options.types import whole_number, whole_numbers
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.files.shipped_models import find_model


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``evaluate typing-errors``."""
    add_options(parser, runs=2, plot="draw accuracy against typing errors")
    parser.add_argument(
        "--model",
        action=Distinct,
        nargs="+",
        default=["default"],
        metavar="MODEL",
        help=f"each is {MODEL_HELP} (default)",
    )
    shots = "templates per intent (%(default)s)"
    parser.add_argument("--shots", type=whole_number(1), default=10, help=shots)
    parser.add_argument(
        "--errors",
        type=whole_numbers(0),
        default=(0, 1, 2, 3),
        metavar="N,…",
        help="typing errors in each utterance (0,1,2,3)",
    )


def run(args: argparse.Namespace) -> int:
    """Measure the models on each folder."""
    from pocketintent.evaluation.intents.line_plot import plot_typing_errors

    return print_reports(_measure(args), plot_typing_errors, args.plot)


def _measure(args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    from pocketintent.evaluation.intents.robustness import evaluate_typing_errors

    # A model is named by its file without folder and suffix, where these differ.
    stems = [Path(name).stem for name in args.model]
    names = [
        name if stems.count(stem) > 1 else stem
        for name, stem in zip(args.model, stems, strict=True)
    ]
    models = dict(zip(names, map(find_model, args.model), strict=True))
    encoders = {name: load_encoder(path) for name, path in models.items()}
    chosen = {"errors": args.errors, "decisions": args.decision}
    for data, draws in each_folder(args, "runs", len(encoders) * args.runs):
        report = evaluate_typing_errors(encoders, data, **chosen, **draws)
        yield {**report, "models": {name: str(path) for name, path in models.items()}}
