"""``pocketintent train contextual``: words whose vectors depend on their neighbours."""

from __future__ import annotations

import argparse

from pocketintent.cli.options.files import input_file
from pocketintent.cli.options.model import model_file, vectors_file
from pocketintent.cli.options.settings import add_settings, read_settings
from pocketintent.cli.options.training import (
    add_limits,
    add_run_options,
    print_record,
    run_options,
)
from pocketintent.training.contextual.settings import ContextualSettings
from pocketintent.training.loop.devices import prepare_torch

EXAMPLES = """\
examples:
  pocketintent train targets --teacher minilm/ --texts chats.txt.gz --out targets.bin
  pocketintent train contextual --targets targets.bin --out contextual.safetensors
  pocketintent compress contextual.safetensors --out small.safetensors --sub-dim 4
  pocketintent train contextual --targets targets.bin --start small.safetensors --epochs 1 \\
      --learning-rate 0.0005 --corpus chats.txt.gz --out my_model.safetensors
  pocketintent train targets --teacher minilm/ --templates my_bot.json --out my_bot.bin
  pocketintent train contextual --targets my_bot.bin --start default --epochs 20 \\
      --learning-rate 0.0005 --batch-words 256 --out my_model.safetensors

With --start the run goes on from a model, whose codes stay as they are: it wins back most of what
compression loses, and adapts a model to a bot. Without --corpus it keeps the model's codebook and
background. Stop a run at any time; --resume gives the same model as an uninterrupted run."""

OPTIONS = ("dim", "hidden", "epochs", "learning_rate", "batch_words", "seed")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``train contextual``."""
    parser.description = (
        "Fit words, and a small network that changes them by their neighbours, to the vectors that "
        "a sentence encoder gave to texts. Prints the record of the run as JSON."
    )
    parser.epilog = EXAMPLES
    parser.set_defaults(run=run)
    parser.add_argument(
        "--targets",
        type=vectors_file,
        nargs="+",
        required=True,
        metavar="FILE",
        help="texts with their vectors, written by `train targets`",
    )
    parser.add_argument(
        "--start",
        type=model_file,
        metavar="MODEL",
        help="a contextual model to go on from, with its words, n-grams, network and dimensions",
    )
    parser.add_argument(
        "--corpus",
        type=input_file,
        nargs="+",
        default=[],
        metavar="FILE",
        help="training texts (.txt, .jsonl, .gz), from which the model gets a codebook for "
        "templates and a background (those of --start)",
    )
    add_run_options(parser)
    add_limits(parser)
    add_settings(parser, ContextualSettings, options=OPTIONS)


def run(args: argparse.Namespace) -> int:
    """Train a model and print its record."""
    prepare_torch(args.device, args.threads)
    from pocketintent.training.contextual.pipeline import train_contextual

    record = train_contextual(
        args.targets,
        args.out,
        read_settings(args, ContextualSettings),
        run_options(args),
        start=args.start,
        corpus=args.corpus,
        precision=args.precision,
        max_minutes=args.max_minutes,
    )
    print_record({"out": str(args.out), **record})
    return 0
