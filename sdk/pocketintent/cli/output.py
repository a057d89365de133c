"""Output of the commands: results on stdout as JSON lines, everything else on stderr."""

from __future__ import annotations

import sys
from typing import Any

import orjson


def print_json(obj: Any) -> None:
    """Print one JSON line on stdout and flush it, so that the reader of a pipe gets it at once.

    Args:
        obj: Anything that JSON can express, dataclasses, and NumPy numbers and arrays.
    """
    line = orjson.dumps(obj, option=orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_APPEND_NEWLINE)
    sys.stdout.write(line.decode())
    sys.stdout.flush()


def print_note(message: str) -> None:
    """Print a line for people on stderr."""
    print(message, file=sys.stderr, flush=True)
