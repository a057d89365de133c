"""What the commands that train share: device, threads, resuming, and the record of the call."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Mapping
from typing import Any

from pocketintent.cli.output import print_json


def add_torch_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--device`` and ``--threads``, the arguments of ``training.loop``'s prepare_torch."""
    parser.add_argument("--device", default="cpu", help="cpu, cuda, cuda:1 … (%(default)s)")
    parser.add_argument("--threads", type=int, metavar="N", help="CPU threads (torch decides)")


def add_resume_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--resume`` and ``--restart``, of which at most one can be given."""
    again = parser.add_mutually_exclusive_group()
    again.add_argument("--resume", action="store_true", help="go on with a run that was stopped")
    again.add_argument("--restart", action="store_true", help="drop a run that was stopped")


def print_record(record: Mapping[str, Any]) -> None:
    """Print what a run gave as JSON; of the processes that torchrun started, the first one does."""
    if os.environ.get("RANK", "0") == "0":
        print_json(record)


def command_line(arguments: list[str]) -> str:
    """The call for the record: folders are left out, since a model is given to others."""
    return shlex.join(["pocketintent", *(argument.rpartition("/")[2] for argument in arguments)])
