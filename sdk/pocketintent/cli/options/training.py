"""Options that the training commands share: device, threads and resuming; and their records."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Mapping
from typing import Any

from pocketintent.cli.output import print_json
from pocketintent.runtime.errors import PocketIntentError, require


def add_torch_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--device`` and ``--threads``, the arguments of :func:`prepare_torch`."""
    parser.add_argument("--device", default="cpu", help="cpu, cuda, cuda:1 … (%(default)s)")
    parser.add_argument("--threads", type=int, metavar="N", help="CPU threads (torch decides)")


def add_resume_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--resume`` and ``--restart``, which exclude each other."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--resume", action="store_true", help="continue an unfinished run")
    group.add_argument(
        "--restart", action="store_true", help="delete an unfinished run and start from scratch"
    )


def prepare_torch(device: str, threads: int | None) -> None:
    """Take up the options ``--device`` and ``--threads``, before any work is done.

    Args:
        device: cpu, cuda, cuda:1 …
        threads: CPU threads; None leaves them to torch.

    Raises:
        PocketIntentError: The device is not there, or the threads are fewer than 1.
        MissingExtraError: torch or tqdm is not installed.
    """
    torch = require("torch", "train")
    require("tqdm", "train")
    if threads is not None:
        if threads < 1:
            raise PocketIntentError(f"--threads must be 1 or more, not {threads}")
        torch.set_num_threads(threads)
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise PocketIntentError(
            f"--device {device}: this torch sees no GPU; install a CUDA build or use --device cpu"
        )
    try:
        torch.empty(0, device="cpu" if device == "cuda" else device)
    except (RuntimeError, AssertionError) as error:
        raise PocketIntentError(f"--device {device}: {str(error).splitlines()[0]}") from error


def print_record(record: Mapping[str, Any]) -> None:
    """Print the record of a run as JSON; under torchrun only the first process prints it."""
    if os.environ.get("RANK", "0") == "0":
        print_json(record)


def command_line(arguments: list[str]) -> str:
    """The command for the record, without folders, since models are shared with other people."""
    return shlex.join(["pocketintent", *(argument.rpartition("/")[2] for argument in arguments)])
