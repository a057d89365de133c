"""The options of commands that measure on intent data sets: their folders, and the split."""

from __future__ import annotations

import argparse

from pocketintent.cli.options.files import input_folder


def add_intent_data_options(parser: argparse.ArgumentParser) -> None:
    """Add the positional ``directories``, and ``--split``."""
    parser.add_argument(
        "directories",
        type=input_folder,
        nargs="+",
        metavar="DIR",
        help='folder with train.jsonl and test.jsonl, lines of {"text", "intent"}',
    )
    parser.add_argument(
        "--split",
        choices=("test", "valid"),
        default="test",
        help="utterances to recognise (%(default)s)",
    )
