"""Output of the commands: results on stdout as JSON lines, everything else on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import orjson

_OPTIONS = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_APPEND_NEWLINE


def print_json(obj: Any) -> None:
    """Print one JSON line on stdout and flush it, so that the reader of a pipe gets it at once.

    Args:
        obj: Anything that JSON can express, dataclasses, and NumPy numbers and arrays.
    """
    sys.stdout.write(orjson.dumps(obj, option=_OPTIONS).decode())
    sys.stdout.flush()


def print_note(message: str) -> None:
    """Print a line for people on stderr, above the progress bar if there is one."""
    tqdm = sys.modules.get("tqdm")
    if tqdm is None:  # nobody has drawn a bar
        print(message, file=sys.stderr, flush=True)
    else:
        tqdm.tqdm.write(message, file=sys.stderr)


def print_reports(
    reports: Iterable[dict[str, Any]], draw: Callable[..., None], plot: Path | None
) -> None:
    """Print reports as they are made; then draw them all, if a plot is asked for."""
    made = []
    for report in reports:
        print_json(report)
        made.append(report)
    if plot is not None:
        draw(made, plot)
        print_note(f"plot: {plot}")
