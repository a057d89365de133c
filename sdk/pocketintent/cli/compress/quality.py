"""Options that say on what the quality of a model is measured."""

from __future__ import annotations

import argparse

from pocketintent.cli.options.files import input_file, input_folder
from pocketintent.cli.options.numbers import whole_numbers
from pocketintent.cli.options.shared import add, refuse_options
from pocketintent.evaluation.quality import Probe


def add_probe_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that :func:`read_probe` reads."""
    group = parser.add_argument_group("quality")
    help = 'scored pairs to measure on, lines of {"a", "b", "score"}'
    group.add_argument("--sts", type=input_file, help=help)
    help = "folders to measure on, each with train.jsonl and the split's file"
    group.add_argument("--intents", type=input_folder, nargs="+", default=[], help=help)
    help = f"with --intents: utterances to recognise ({Probe.split})"
    add(group, "--split", default=None, help=help)
    group.add_argument(
        "--shots",
        type=whole_numbers(1),
        metavar="N,…",
        help=f"with --intents: templates per intent ({','.join(map(str, Probe.shots))})",
    )
    add(group, "--runs", help=f"with --intents: random draws of templates ({Probe.runs})")


def read_probe(args: argparse.Namespace) -> Probe:
    """The probe from the options; options that have no effect are bad usage, status 2."""
    names = ("split", "shots", "runs")
    if not args.intents:
        refuse_options(args, names, "requires --intents")
    given = {name: value for name in names if (value := getattr(args, name)) is not None}
    return Probe(args.sts, tuple(args.intents), **given)
