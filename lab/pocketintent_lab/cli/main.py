"""The ``pocketintent-lab`` command: finds the subcommand, runs it, and reports its errors."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from pocketintent.cli import main as product
from pocketintent.cli.commands import add_commands
from pocketintent_lab.cli.commands import COMMANDS

DESCRIPTION = """\
The laboratory of pocketintent: algorithms of papers, and their comparisons.

Results go to stdout as JSON, one object per line; progress and messages go to stderr."""


def build_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="pocketintent-lab",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_commands(parser, "COMMAND", COMMANDS)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; see :func:`pocketintent.cli.main.main`."""
    return product.main(argv, build_parser)
