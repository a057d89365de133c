r"""Train ConvRR or FCRR, an adapter for the intents of a template file.

It moves the templates of an intent towards each other, and away from other intents.

Prints the record of the run as JSON.

Examples:
  pocketintent-lab train convrr --templates my_bot.json --corpus chats.txt.gz --kernels 64 \
      --out adapted.safetensors
  pocketintent match --model adapted.safetensors --templates my_bot.json "lights on"

The model itself stays as it is; the adapter is saved with it, and runs and is exported like any
other model. It is an option for bots with many templates an intent: measure it on utterances of
your own (pocketintent templates test), since with few templates it can do harm. The adapted model
needs --corpus for the background of the decision logistic.
"""

from __future__ import annotations

import argparse

from pocketintent.cli.options.model import model_file
from pocketintent.cli.options.settings import add_settings, read_settings
from pocketintent.cli.options.training import add_run_options, print_record, run_options
from pocketintent.cli.options.types import input_file
from pocketintent.runtime.files.shipped_models import find_model
from pocketintent.training.loop.devices import prepare_torch
from pocketintent_lab.training.convrr.settings import ConvrrSettings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``train convrr``."""
    parser.add_argument(
        "--templates", type=input_file, required=True, metavar="FILE", help="the template file"
    )
    parser.add_argument(
        "--model",
        type=model_file,
        default=find_model("fast"),
        metavar="MODEL",
        help="the model to adapt, of kind static or contextual (fast)",
    )
    parser.add_argument(
        "--corpus",
        type=input_file,
        nargs="+",
        default=[],
        metavar="FILE",
        help="texts (.txt, .jsonl, .gz) from which the adapted model gets a codebook for templates "
        "and a background (none)",
    )
    add_run_options(parser)
    add_settings(parser, ConvrrSettings)


def run(args: argparse.Namespace) -> int:
    """Train an adapter and print the record of the run."""
    prepare_torch(args.device, args.threads)
    from pocketintent_lab.training.convrr.pipeline import train_convrr

    record = train_convrr(
        args.templates,
        args.model,
        args.out,
        read_settings(args, ConvrrSettings),
        run_options(args),
        corpus=args.corpus,
    )
    print_record({"out": str(args.out), **record})
    return 0
