"""The options of commands that measure on intent data sets: folders, split and names."""

from __future__ import annotations

import argparse

from pocketintent.cli.options.files import input_folder


def add_intent_data_options(parser: argparse.ArgumentParser) -> None:
    """Add the positional ``directories``, ``--split`` and ``--no-names``."""
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
    add_names_option(parser)


def add_names_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--no-names``, whose value is ``args.learn_names``."""
    parser.add_argument(
        "--no-names",
        dest="learn_names",
        action="store_false",
        help="the decision logistic does not learn the intents' names",
    )
