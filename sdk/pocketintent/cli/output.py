"""Output of the commands: results on stdout as JSON lines, progress and messages on stderr."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import orjson

_OPTIONS = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_APPEND_NEWLINE


def print_json(obj: Any) -> None:
    """Print what orjson can express, as a line on stdout that the reader of a pipe gets at once."""
    sys.stdout.write(orjson.dumps(obj, option=_OPTIONS).decode())
    sys.stdout.flush()


def print_note(message: str) -> None:
    """Print a line for people on stderr, above the progress bar if there is one."""
    tqdm = sys.modules.get("tqdm")
    if tqdm is None:  # nobody has drawn a bar
        print(message, file=sys.stderr, flush=True)
    else:
        tqdm.tqdm.write(message, file=sys.stderr)


class Progress:
    """Progress of one or more stages: a bar if there are a terminal and tqdm, or up to ten lines.

    A context manager, which closes the bar when the work ends early. ``unit`` names in the plural
    what is counted.
    """

    def __init__(self, unit: str = "") -> None:
        self._unit = f" {unit}" if unit else ""
        self._stage: str | None = None
        self._tenths = 0
        self._bar: Any = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def show(self, stage: str, done: int, total: int, note: str = "") -> None:
        """Show how many of a stage's steps are done, at least 1 in all, and a note on the last.

        Another name than before begins a new stage.
        """
        if stage != self._stage:
            self._close()
            self._stage, self._tenths = stage, 0
            if sys.stderr.isatty():
                with suppress(ImportError):
                    from tqdm import tqdm

                    unit = self._unit or "it"
                    self._bar = tqdm(total=total, desc=stage, unit=unit, file=sys.stderr)
        if self._bar is not None:
            self._bar.set_postfix_str(note, refresh=False)
            self._bar.update(done - self._bar.n)
        elif (tenths := 10 * done // total) > self._tenths:
            self._tenths = tenths
            print_note(f"{stage}: {done}/{total}{self._unit}" + (f" ({note})" if note else ""))
        if done == total:
            self._close()

    def count(self, stage: str, total: int) -> Callable[[str], None]:
        """A function to call after each step of a stage, with a note on the step."""
        steps = itertools.count(1)
        return lambda note: self.show(stage, next(steps), total, note)

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.close()
        self._stage = self._bar = None
