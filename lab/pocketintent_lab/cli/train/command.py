"""``pocketintent-lab train``: the methods of the laboratory."""

from __future__ import annotations

import argparse

from pocketintent.cli.commands import add_commands
from pocketintent_lab.cli.commands import TRAINERS

EXAMPLES = """\
examples:
  pocketintent-lab train terms --corpus papers.txt.gz --out terms.tsv
  pocketintent-lab train words --corpus papers.txt.gz --terms terms.tsv --out words.safetensors
  pocketintent-lab train METHOD --help"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the methods of ``train``."""
    parser.description = "Learn an encoder by a method of the laboratory."
    parser.epilog = EXAMPLES
    add_commands(parser, "METHOD", TRAINERS)
