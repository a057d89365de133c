"""The option ``--decision``: of commands that recognise intents, and of those that compare."""

from __future__ import annotations

import argparse

from pocketintent.runtime.decision.registry import DECISIONS, DEFAULT_DECISION, Decision


def add_decision_option(parser: argparse.ArgumentParser, *others: str) -> None:
    """Add ``--decision`` to a command that recognises intents.

    Args:
        parser: The parser of the command.
        others: What has a decision of its own, such as ``"a bot file"``.
    """
    own = "".join(f", or the decision of {other}" for other in others)
    parser.add_argument(
        "--decision",
        choices=DECISIONS,
        help="how an intent is scored: logistic, by the probability that a classifier fitted on "
        "the templates gives it; nearest, by its nearest template; nearest+centroid, by the mean "
        f"of that and the similarity to the mean of its templates ({DEFAULT_DECISION}{own})",
    )


def add_decisions_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--decision`` to a command that measures them; :func:`decisions_of` reads it."""
    parser.add_argument(
        "--decision",
        choices=DECISIONS,
        help="measure this decision alone (all)",
    )


def decisions_of(args: argparse.Namespace) -> tuple[Decision, ...]:
    """The decisions to measure."""
    return DECISIONS if args.decision is None else (args.decision,)
