"""``pocketintent-lab evaluate``: the tasks of the laboratory."""

from __future__ import annotations

import argparse

from pocketintent.cli.commands import add_commands
from pocketintent_lab.cli.commands import EVALUATIONS

EXAMPLES = """\
examples:
  pocketintent-lab evaluate triplets pairs/mrpc/test.jsonl --model default tiny
  pocketintent-lab evaluate retrieval retrieval/xquad_en --source default --networks none
  pocketintent-lab evaluate TASK --help"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the tasks of ``evaluate``."""
    parser.description = "Measure a model by a task of the laboratory. Prints JSON."
    parser.epilog = EXAMPLES
    add_commands(parser, "TASK", EVALUATIONS)
