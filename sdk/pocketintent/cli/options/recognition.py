"""Options of commands that recognise intents, or that measure how they are recognised."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pocketintent.cli.options.files import file_name, input_folder
from pocketintent.cli.options.numbers import number
from pocketintent.runtime.decision.registry import DECISIONS, DEFAULT_DECISION, Decision

if TYPE_CHECKING:
    from pocketintent.recognizer import IntentRecognizer

TEMPLATES_HELP = "template file (JSON), name of a shipped set, or bot file, which has its model"


def add_templates_argument(parser: argparse.ArgumentParser) -> None:
    """Add the positional ``templates``."""
    parser.add_argument("templates", type=file_name, metavar="FILE", help=TEMPLATES_HELP)


def add_recognition_options(parser: argparse.ArgumentParser, others: str = "a bot file") -> None:
    """Add ``--decision`` and ``--no-correction``, whose values are None without them.

    Args:
        parser: The parser of the command.
        others: What has a choice of its own.
    """
    add_decision_option(parser, others)
    parser.add_argument(
        "--no-correction",
        dest="correct",
        action="store_false",
        default=None,
        help="read an unknown word as it is, and not as the known word within one typing error "
        f"(corrected, or as {others} has it)",
    )


def add_decision_option(parser: argparse.ArgumentParser, others: str = "a bot file") -> None:
    """Add ``--decision``; see :func:`add_recognition_options`."""
    parser.add_argument(
        "--decision",
        choices=DECISIONS,
        help="how an intent is scored: logistic, by the probability that a classifier fitted on "
        "the templates gives it; nearest, by its nearest template; nearest+centroid, by the mean "
        "of that and the similarity to the mean of its templates "
        f"({DEFAULT_DECISION}, or the decision of {others})",
    )


def add_limit_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--threshold`` and ``--margin``, which :func:`set_limits` applies."""
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


def add_intent_data_options(parser: argparse.ArgumentParser) -> None:
    """Add the positional ``directories``, ``--split``, ``--no-names`` and ``--decision``."""
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
    parser.add_argument("--decision", choices=DECISIONS, help="measure this decision alone (all)")


def add_names_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--no-names``, whose value is ``args.learn_names``."""
    parser.add_argument(
        "--no-names",
        dest="learn_names",
        action="store_false",
        help="the decision logistic does not learn the intents' names",
    )


def decisions_of(args: argparse.Namespace) -> tuple[Decision, ...]:
    """The decisions to measure."""
    return DECISIONS if args.decision is None else (args.decision,)
