"""Work on template files.

Examples:
  pocketintent templates check my_bot.json
  pocketintent templates test my_bot.json utterances.csv
  pocketintent templates ACTION --help
"""

from __future__ import annotations

import argparse

from pocketintent.cli.commands import Command, add_commands

ACTIONS = tuple(
    Command(name, f"pocketintent.cli.templates.{name}", summary)
    for name, summary in {
        "check": "find all errors and weak points of template files",
        "test": "measure a bot on labelled utterances",
    }.items()
)
"""The actions, in the order of the help."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the actions of ``templates``."""
    add_commands(parser, "ACTION", ACTIONS)
