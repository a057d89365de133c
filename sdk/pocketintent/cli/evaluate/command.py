"""Measure a model.

Prints JSON.

Examples:
  pocketintent evaluate sts sts/stsb/test.jsonl --model my.safetensors
  pocketintent evaluate intents intents/clinc150 --shots 5,10 --runs 3 --split valid
  pocketintent evaluate typing-errors intents/clinc150 --model default tiny.safetensors
  pocketintent evaluate TASK --help
"""

from __future__ import annotations

import argparse

from pocketintent.cli.commands import Command, add_commands, plugin_commands

TASKS = tuple(
    Command(name, f"pocketintent.cli.evaluate.{name.replace('-', '_')}", summary)
    for name, summary in {
        "sts": "correlation of cosine with human scores of pairs of texts",
        "intents": "few-shot accuracy and macro-F1; out-of-scope texts and calibration",
        "typing-errors": "few-shot accuracy with random typing errors in each utterance",
    }.items()
)
"""The tasks, in the order of the help."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the tasks of ``evaluate``."""
    add_commands(parser, "TASK", TASKS + plugin_commands("evaluate"))
