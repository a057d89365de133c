"""The ``pocketintent-lab`` command: finds the subcommand, runs it, and reports its errors."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import pocketintent_lab
from pocketintent.cli import main as product
from pocketintent.cli.commands import ParserOfCommands, add_commands
from pocketintent_lab.cli.commands import COMMANDS

DESCRIPTION = """\
The laboratory of pocketintent: algorithms of papers, and their comparisons.

Results go to stdout as JSON, one object per line; progress and messages go to stderr."""

EXAMPLES = """\
examples:
  pocketintent-lab train glove --corpus chats.txt.gz --out glove.safetensors
  pocketintent-lab evaluate triplets pairs/mrpc/test.jsonl --model default tiny
  pocketintent-lab compare plan.toml --out comparison
  pocketintent-lab sweep trained.safetensors --sts sts/stsb/dev.jsonl --out sweep
  pocketintent-lab COMMAND --help

exit status: 0 success, 1 bad input, 2 bad usage"""


def build_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    parser = ParserOfCommands(
        prog="pocketintent-lab",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    version = f"pocketintent-lab {pocketintent_lab.__version__}"
    parser.add_argument("--version", action="version", version=version)
    add_commands(parser, COMMANDS)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; see :func:`pocketintent.cli.main.main`."""
    return product.main(argv, build_parser)
