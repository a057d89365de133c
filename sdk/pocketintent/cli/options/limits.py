"""The options ``--threshold`` and ``--margin`` of commands that recognise intents."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pocketintent.cli.options.numbers import number

if TYPE_CHECKING:
    from pocketintent.recognizer import IntentRecognizer


def add_limit_options(parser: argparse.ArgumentParser) -> None:
    """Add the options, whose values are None without them; :func:`set_limits` applies them."""
    parser.add_argument(
        "--threshold",
        type=number(least=-1.0, most=1.0),
        metavar="X",
        help="lowest score of a match, for intents without a threshold of their own (that of the "
        "templates)",
    )
    parser.add_argument(
        "--margin",
        type=number(least=0.0, most=2.0),
        metavar="X",
        help="smallest lead over the next intent (that of the templates)",
    )


def set_limits(recognizer: IntentRecognizer, args: argparse.Namespace) -> None:
    """Give a recogniser the limits of the command line."""
    if args.threshold is not None:
        recognizer.threshold = args.threshold
    if args.margin is not None:
        recognizer.margin = args.margin
