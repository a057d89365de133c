"""The ``pocketintent-lab`` command: finds the subcommand, runs it, and reports its errors."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import pocketintent_lab
from pocketintent.cli import main as product
from pocketintent.cli.commands import Command, CommandParser
from pocketintent_lab.cli.commands import COMMANDS


def build_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    root = Command("pocketintent-lab", "pocketintent_lab.cli", "", COMMANDS)
    parser = CommandParser(prog=root.name, command=root)
    version = f"pocketintent-lab {pocketintent_lab.__version__}"
    parser.add_argument("--version", action="version", version=version)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; see :func:`pocketintent.cli.main.main`."""
    return product.main(argv, build_parser)
