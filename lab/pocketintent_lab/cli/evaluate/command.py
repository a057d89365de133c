"""``pocketintent-lab evaluate``: the tasks of the laboratory."""

from __future__ import annotations

import argparse

from pocketintent.cli.commands import add_commands
from pocketintent_lab.cli.commands import EVALUATIONS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the tasks of ``evaluate``."""
    parser.description = "Measure a model by a task of the laboratory. Prints JSON."
    add_commands(parser, "TASK", EVALUATIONS)
