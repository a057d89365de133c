"""Progress of long work on stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from pocketintent.cli.output import print_note


class Progress:
    """Progress of one or more stages: tqdm's bar on a terminal, otherwise at most ten lines each.

    Lines also appear on a terminal where tqdm is not installed. A context manager, which closes
    the bar when the work ends early.

    Args:
        unit: What is counted, in the plural.
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
        """Show how far a stage is.

        Args:
            stage: Name of the stage; another name than before begins a new stage.
            done: Steps done.
            total: Steps of the stage, at least 1.
            note: The last step.
        """
        if stage != self._stage:
            self._close()
            self._stage, self._tenths, self._bar = stage, 0, self._make_bar(stage, total)
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
        done = 0

        def step(note: str) -> None:
            nonlocal done
            done += 1
            self.show(stage, done, total, note)

        return step

    def _make_bar(self, stage: str, total: int) -> Any:
        """A bar of tqdm; None without a terminal or tqdm."""
        if not sys.stderr.isatty():
            return None
        try:
            from tqdm import tqdm
        except ImportError:
            return None
        return tqdm(total=total, desc=stage, unit=self._unit or "it", file=sys.stderr)

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.close()
        self._stage = self._bar = None
