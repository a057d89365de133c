"""Measure a model by a task of the laboratory.

Prints JSON.

Examples:
  pocketintent-lab evaluate triplets pairs/mrpc/test.jsonl --model default tiny
  pocketintent-lab evaluate retrieval retrieval/xquad_en --source default --networks none
  pocketintent-lab evaluate TASK --help
"""

from __future__ import annotations

import argparse

from pocketintent.cli.commands import add_commands
from pocketintent_lab.cli.commands import EVALUATIONS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the tasks of ``evaluate``."""
    add_commands(parser, "TASK", EVALUATIONS)
