"""The option ``--decision`` of the evaluation."""

from __future__ import annotations

import argparse

from pocketintent.runtime.decision.registry import DECISIONS, Decision


def add_decision_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--decision``, whose value :func:`decisions_of` reads."""
    parser.add_argument(
        "--decision",
        choices=DECISIONS,
        help="measure this decision alone (all)",
    )


def decisions_of(args: argparse.Namespace) -> tuple[Decision, ...]:
    """The decisions to measure."""
    return DECISIONS if args.decision is None else (args.decision,)
