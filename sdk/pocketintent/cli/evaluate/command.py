"""``pocketintent evaluate``: measure a model."""

from __future__ import annotations

import argparse

from pocketintent.cli.commands import Command, add_commands, plugin_commands

TASKS = (
    Command(
        "sts",
        "pocketintent.cli.evaluate.sts",
        "correlation of cosine with human scores of pairs of texts",
    ),
    Command(
        "intents",
        "pocketintent.cli.evaluate.intents",
        "few-shot accuracy and macro-F1; out-of-scope texts and calibration",
    ),
    Command(
        "typing-errors",
        "pocketintent.cli.evaluate.typing_errors",
        "few-shot accuracy with random typing errors in each utterance",
    ),
)
"""The tasks, in the order of the help."""

EXAMPLES = """\
examples:
  pocketintent evaluate sts sts/stsb/test.jsonl --model my.safetensors
  pocketintent evaluate sts patents/test.csv --a anchor --b target --score score
  pocketintent evaluate intents intents/clinc150 --shots 5,10 --runs 3 --split valid
  pocketintent evaluate intents intents/clinc150 --oos --shots 50
  pocketintent evaluate intents intents/clinc150 --calibration --shots 10 --plot reliability.png
  pocketintent evaluate typing-errors intents/clinc150 --model default tiny.safetensors
  pocketintent evaluate TASK --help"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the tasks of ``evaluate``."""
    parser.description = "Measure a model. Prints JSON."
    parser.epilog = EXAMPLES
    add_commands(parser, "TASK", TASKS + plugin_commands("evaluate"))
