"""The options of a training run, and the commands that records and interruptions show."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pocketintent.cli.options.shared import add
from pocketintent.cli.output import print_json, print_note
from pocketintent.training.loop.run import DEFAULT_OPTIONS, RunOptions


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--out`` and the options of a run: device, threads, language and resuming."""
    add(parser, "--out", help="model to write")
    add(parser, "--device", "--threads", "--language")
    add_resume_options(parser)


def add_resume_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--resume`` and ``--restart``, which exclude each other."""
    add(parser.add_mutually_exclusive_group(), "--resume", "--restart")
    parser.set_defaults(after_interrupt=resuming_command)


def run_options(args: argparse.Namespace) -> RunOptions:
    """The options of a run: those of this module that the command has, and its own line."""
    return RunOptions(
        device=vars(args).get("device", DEFAULT_OPTIONS.device),
        resume=args.resume,
        restart=args.restart,
        command=command_line(sys.argv[1:], program_of(args)),
        languages=args.languages,
        report=print_note,
    )


def resuming_command(args: argparse.Namespace, arguments: Sequence[str]) -> str | None:
    """The command that continues an interrupted run, if there is one to continue."""
    if not Path(f"{args.out}.work").is_dir():
        return None
    # argparse accepts the beginning of an option too.
    repeated = [word for word in arguments if not word.startswith(("--rest", "--resu"))]
    return shlex.join([program_of(args), *repeated, "--resume"])


def repeating_command(args: argparse.Namespace, arguments: Sequence[str]) -> str:
    """The interrupted command itself, for a command that continues its own unfinished work."""
    return shlex.join([program_of(args), *arguments])


def print_record(record: Mapping[str, Any]) -> None:
    """Print the record of a run as JSON; under torchrun only the first process prints it."""
    if os.environ.get("RANK", "0") == "0":
        print_json(record)


def command_line(arguments: Sequence[str], program: str = "pocketintent") -> str:
    """The command for the record, without folders, since models are shared with other people."""

    def without_folders(argument: str) -> str:
        option, equals, value = argument.partition("=")
        if equals and option.startswith("--"):
            return f"{option}={Path(value).name or value}"
        return Path(argument).name or argument

    return shlex.join([program, *map(without_folders, arguments)])


def program_of(args: argparse.Namespace) -> str:
    """The program that parsed a command, such as ``pocketintent``."""
    command: str = args.parser.prog if "parser" in args else "pocketintent"
    return command.partition(" ")[0]
