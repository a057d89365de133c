r"""Measure several models on utterances with random typing errors.

Prints a JSON line for each folder.

Examples:
  pocketintent evaluate typing-errors intents/clinc150 --model default fast tiny
  pocketintent evaluate typing-errors intents/clinc150 intents/banking77 intents/snips \
      --model default tiny.safetensors --split valid --decision logistic --plot typing.png
  pocketintent evaluate typing-errors intents/clinc150 --teacher minilm/ --corpus chats.txt.gz

An error swaps a letter with the next, drops or doubles it, or puts a neighbouring key in its place
or after it. All see the same errors; templates stay clean. A teacher corrects as the first model.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from pocketintent.cli.evaluate import folders
from pocketintent.cli.options.model import MODEL_HELP, encoder_path
from pocketintent.cli.options.shared import Distinct, add
from pocketintent.cli.options.types import whole_number, whole_numbers
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.files.shipped_models import find_model


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``evaluate typing-errors``."""
    folders.add_options(parser, runs=2, plot="draw accuracy against typing errors")
    parser.add_argument(
        "--model",
        action=Distinct,
        nargs="+",
        default=["default"],
        metavar="MODEL",
        help=f"each is {MODEL_HELP} (default)",
    )
    parser.add_argument("--teacher", type=encoder_path, help="a sentence encoder to measure, too")
    add(parser, "--corpus", help=folders.CORPUS_HELP)
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

    folders.check_corpus(args)
    return folders.print_reports(_measure(args), plot_typing_errors, args.plot)


def _measure(args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    from pocketintent.evaluation.intents.robustness import evaluate_typing_errors
    from pocketintent.training.teachers.loader import load_teacher

    paths = [find_model(name) for name in args.model]
    encoders: list[Encoder] = [load_encoder(path) for path in paths]
    if args.teacher is not None:
        teacher = folders.add_background(load_teacher(args.teacher), args.corpus)
        teacher.known_words = encoders[0].known_words
        paths.append(args.teacher)
        encoders.append(teacher)
    # A model is named by its file without folder and suffix, where these differ.
    stems = [path.stem for path in paths]
    names = [str(path) if stems.count(path.stem) > 1 else path.stem for path in paths]
    named = dict(zip(names, encoders, strict=True))
    chosen = {"errors": args.errors, "decisions": args.decision}
    for data, draws in folders.each_folder(args, "runs", len(encoders) * args.runs):
        report = evaluate_typing_errors(named, data, **chosen, **draws)
        yield {**report, "models": dict(zip(names, map(str, paths), strict=True))}
