"""The option ``--no-correction`` of commands that recognise intents."""

from __future__ import annotations

import argparse


def add_correction_option(parser: argparse.ArgumentParser, *others: str) -> None:
    """Add ``--no-correction``, whose value ``args.correct`` is False, or None without it.

    Args:
        parser: The parser of the command.
        others: What has a choice of its own, such as ``"a bot file"``.
    """
    own = "".join(f", or as {other} has it" for other in others)
    parser.add_argument(
        "--no-correction",
        dest="correct",
        action="store_false",
        default=None,
        help="read an unknown word as it is, and not as the known word within one typing error "
        f"(corrected{own})",
    )
