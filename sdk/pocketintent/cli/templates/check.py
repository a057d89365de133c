"""Find all errors and weak points of template files.

Prints one JSON line for each file; errors and warnings go to stderr too.

Examples:
  pocketintent templates check my_bot.json --model tiny
  pocketintent templates check templates/*.json
  pocketintent templates check smart_home
  pocketintent templates check my_bot.json --json > report.jsonl

keys of each line:
  intents, templates  their numbers, or null when there are errors
  errors, warnings    breaches of the format, and what makes recognition worse
  left_out            how many templates of each intent a bot without them would refuse or confuse

exit status: 0 no errors, 1 a file has errors
"""

from __future__ import annotations

import argparse
from pathlib import Path

from pocketintent.cli.options.model import MODEL_HELP
from pocketintent.cli.options.shared import add
from pocketintent.cli.options.types import check_name, file_name
from pocketintent.cli.output import print_json, print_note


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``templates check``."""
    parser.add_argument(
        "files",
        type=file_name,
        nargs="+",
        metavar="FILE",
        help="template file (JSON), the name of a shipped set, or a bot file",
    )
    warning = "warn of what it does not know of a file (default: the model 'default')"
    add(parser, "--model", help=f"{MODEL_HELP}: {warning}")
    add(parser, "--json")


def run(args: argparse.Namespace) -> int:
    """Check the named files."""
    from pocketintent.bot.file_report import check_file, load_once

    for name in args.files:
        check_name(Path(name))
    if args.model is not None:
        load_once(args.model)  # an error of the model is not one of the files
    reports = [check_file(name, args.model) for name in args.files]
    for report in reports:
        for level in () if args.json else ("errors", "warnings"):
            for finding in report[level]:
                print_note(f"{report['file']}: {level[:-1]}: {finding}")
        print_json(report)
    return 1 if any(report["errors"] for report in reports) else 0
