"""``pocketintent-lab train``: the methods of the laboratory."""

from __future__ import annotations

import argparse

from pocketintent.cli.commands import add_commands
from pocketintent_lab.cli.commands import TRAINERS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the methods of ``train``."""
    parser.description = "Learn an encoder by a method of the laboratory."
    add_commands(parser, "METHOD", TRAINERS)
