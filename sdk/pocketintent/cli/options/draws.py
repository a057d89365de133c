"""Options for random draws of templates."""

from __future__ import annotations

import argparse

from pocketintent.cli.options.numbers import SEED, whole_number, whole_numbers


def add_draw_options(parser: argparse.ArgumentParser, default_shots: tuple[int, ...]) -> None:
    """Add ``--shots``, ``--runs`` and ``--seed``.

    Args:
        parser: The parser that gets the options.
        default_shots: Default of ``--shots``.
    """
    text = ",".join(map(str, default_shots))
    parser.add_argument(
        "--shots",
        type=whole_numbers(1),
        default=default_shots,
        metavar="N,…",
        help=f"templates per intent ({text})",
    )
    parser.add_argument(
        "--runs",
        type=whole_number(1),
        default=10,
        metavar="N",
        help="random draws of templates (%(default)s)",
    )
    parser.add_argument(
        "--seed", type=SEED, default=0, metavar="N", help="seed of the draws (%(default)s)"
    )
