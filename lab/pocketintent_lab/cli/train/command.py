"""Learn an encoder by a method of the laboratory.

Examples:
  pocketintent-lab train terms --corpus papers.txt.gz --out terms.tsv
  pocketintent-lab train words --corpus papers.txt.gz --terms terms.tsv --out words.safetensors
  pocketintent-lab train METHOD --help
"""

from __future__ import annotations

import argparse

from pocketintent.cli.commands import add_commands
from pocketintent_lab.cli.commands import TRAINERS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the methods of ``train``."""
    add_commands(parser, "METHOD", TRAINERS)
