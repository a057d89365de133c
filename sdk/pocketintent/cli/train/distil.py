"""``pocketintent train distil``: word vectors whose sums approximate a sentence encoder."""

from __future__ import annotations

import argparse

from pocketintent.cli.options.model import vectors_file
from pocketintent.cli.options.settings import add_settings, read_settings
from pocketintent.cli.options.training import add_run_options, print_record, run_options
from pocketintent.training.distil.settings import DistilSettings
from pocketintent.training.loop.devices import prepare_torch

EXAMPLES = """\
examples:
  pocketintent train targets --teacher minilm/ --words words.safetensors --out words.tsv
  pocketintent train targets --teacher minilm/ --texts chats.txt.gz --out utterances.bin
  pocketintent train distil --targets words.tsv utterances.bin --out sums.safetensors
  pocketintent train finish sums.safetensors --out finished.safetensors --settings finish.toml

Targets are files written by `train targets`: as many utterances of the expected kind as possible,
and single words, which give rare words a meaning. Stop a run at any time; --resume continues it
and gives the same model as an uninterrupted run."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``train distil``."""
    parser.description = (
        "Fit word vectors to the vectors that a sentence encoder gave to texts. Prints the record "
        "of the run as JSON."
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
    add_run_options(parser)
    add_settings(parser, DistilSettings, options=("dim", "epochs", "seed"))


def run(args: argparse.Namespace) -> int:
    """Train a model and print its record."""
    prepare_torch(args.device, args.threads)
    from pocketintent.training.distil.pipeline import train_distilled

    settings = read_settings(args, DistilSettings)
    training = train_distilled(args.targets, args.out, settings, run_options(args))
    print_record({"out": str(args.out), **training})
    return 0
