"""Where a command's words go: results to stdout as JSON lines, all else to stderr."""

from __future__ import annotations

import sys
from typing import Any

import orjson


def print_json(obj: Any) -> None:
    """Print one JSON line on stdout and flush it, so that a reader of a pipe gets it at once.

    Args:
        obj: What JSON can hold; dataclasses and NumPy numbers and arrays are written too.
    """
    line = orjson.dumps(obj, option=orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_APPEND_NEWLINE)
    sys.stdout.write(line.decode())
    sys.stdout.flush()


def print_note(message: str) -> None:
    """Print a line for people on stderr."""
    print(message, file=sys.stderr, flush=True)


class Progress:
    """Work done, on stderr: a bar when stderr is a terminal and tqdm installed, else lines.

    Args:
        title: What the work is on.
        total: Steps of it.
        unit: What a step is, in the plural.
    """

    def __init__(self, title: str, total: int, unit: str) -> None:
        self._title = title
        self._total = total
        self._unit = unit
        self._done = 0
        self._bar: Any = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def step(self, name: str) -> None:
        """Count one step, which ``name`` describes."""
        if self._done == 0 and sys.stderr.isatty():
            self._start_bar()
        self._done += 1
        if self._bar is not None:
            self._bar.set_postfix_str(name, refresh=False)
            self._bar.update()
        elif self._done % 10 == 0 or self._done == self._total:
            print_note(f"{self._title}: {self._done}/{self._total} {self._unit} ({name})")

    def _start_bar(self) -> None:
        try:
            from tqdm import tqdm
        except ImportError:
            return
        unit = f" {self._unit}"
        self._bar = tqdm(total=self._total, desc=self._title, unit=unit, file=sys.stderr)


def print_progress(stage: str, done: int, total: int) -> None:
    """Write progress on stderr: one line that is rewritten on a terminal, else the ends."""
    if sys.stderr.isatty():
        end = "\n" if done == total else ""
        print(f"\r{stage}: {done}/{total}", end=end, file=sys.stderr, flush=True)
    elif done == total:
        print_note(f"{stage}: {done}/{total}")
