"""The ``pocketintent`` command: finds the subcommand, runs it, and reports its errors."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence

import pocketintent
from pocketintent.cli import data, export, match, templates
from pocketintent.cli.compress import combine, compress
from pocketintent.cli.compress import sweep as compress_sweep
from pocketintent.cli.evaluate import command as evaluate
from pocketintent.cli.output import print_note
from pocketintent.cli.train import command as train
from pocketintent.runtime.errors import PocketIntentError

COMMANDS = (match, train, compress, compress_sweep, combine, export, evaluate, templates, data)
"""The subcommands' modules, in the order of the help; each has ``add_parser`` and ``run``."""

DESCRIPTION = """\
Recognise the intent of an utterance on the device: a model of a few MB, templates in JSON.

Results go to stdout as JSON, one object a line; progress and messages go to stderr."""

EXAMPLES = """\
examples:
  pocketintent match --templates smart_home "could you switch the lamp off please"
  pocketintent match --templates my_bot.json < utterances.txt > matches.jsonl
  pocketintent COMMAND --help

exit status: 0 done, 1 the input was bad, 2 the call was bad"""


def build_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="pocketintent",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    version = f"pocketintent {pocketintent.__version__}"
    parser.add_argument("--version", action="version", version=version)
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add_parser(subparsers)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        argv: The arguments without the program's name; those of the process when None.

    Returns:
        The exit status: 0 done, 1 the input was bad, 130 interrupted. A bad call ends the
        process with status 2, as argparse does.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")  # JSON is UTF-8, whatever the locale says
    args = build_parser().parse_args(argv)
    try:
        status: int = args.run(args)
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        # The reader has enough, as `head` does. What is still buffered must not raise again
        # when Python closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except PocketIntentError as error:
        print_note(f"pocketintent: {error}")
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        print_note(f"pocketintent: {place}{error.strerror or error}")
    except KeyboardInterrupt:
        return 130
    return 1
