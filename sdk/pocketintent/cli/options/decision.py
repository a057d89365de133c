"""The option ``--decision``, for the commands that recognise intents."""

from __future__ import annotations

import argparse
from typing import get_args

from pocketintent.runtime.decision.registry import DEFAULT_DECISION, Decision


def add_decision_option(parser: argparse.ArgumentParser, *others: str) -> None:
    """Add ``--decision``.

    Args:
        parser: The parser of the command.
        others: What has a decision of its own, such as ``"a bot file"``.
    """
    own = "".join(f", or the decision of {other}" for other in others)
    parser.add_argument(
        "--decision",
        choices=get_args(Decision),
        help="how an intent is scored: logistic, by the probability that a classifier fitted on "
        "the templates gives it; nearest, by its nearest template; nearest+centroid, by the mean "
        f"of that and the similarity to the mean of its templates ({DEFAULT_DECISION}{own})",
    )
