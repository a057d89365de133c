"""A long check in blocks of cases: in processes that share nothing, resumable, with a bar."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

BAR = 30
SHOWN_FAILURES = 20


class Block(NamedTuple):
    """What became of the cases of a block."""

    counts: Counter[str]
    """Cases by what became of them."""
    failures: list[str]
    """A sentence on each case that failed, with what repeats it."""


class Report:
    """The blocks that are done, with a line of JSON for each in a file.

    Args:
        path: The file; blocks of an earlier run in it are not run again.
        settings: What the run was called with; ValueError if the file is of another run.
    """

    def __init__(self, path: Path, settings: dict[str, Any]) -> None:
        self.counts, self.failures, self.done = Counter[str](), list[str](), set[int]()
        self._path = path
        content = path.read_text("utf-8") if path.exists() else ""
        lines = content.split("\n")[:-1]
        if not lines:
            lines = [json.dumps(settings)]
        elif json.loads(lines[0]) != settings:
            raise ValueError(f"{path} is the report of another run: {lines[0]}")
        # The last line of a run that was killed may be cut; it is left out.
        path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
        for line in lines[1:]:
            entry = json.loads(line)
            self._count(entry["block"], entry["counts"], entry["failures"])

    def add(self, number: int, block: Block) -> None:
        """Count a block, and write it to the file."""
        self._count(number, block.counts, block.failures)
        entry = {"block": number, "counts": block.counts, "failures": block.failures}
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")

    def _count(self, number: int, counts: dict[str, int], failures: list[str]) -> None:
        self.done.add(number)
        self.counts.update(counts)
        self.failures += failures


def run_blocks(
    check: Callable[[int], Block], num_blocks: int, workers: int, report: Report
) -> None:
    """Run the blocks that are not done yet, until all are or the user interrupts.

    A worker that ends by itself is an error (BrokenProcessPool), after which a call goes on.

    Args:
        check: A function of a module, which checks the block of a number.
        num_blocks: Number of blocks.
        workers: Number of processes.
        report: Gets the blocks.
    """
    remaining = iter([number for number in range(num_blocks) if number not in report.done])
    bar = _Bar(num_blocks, report)
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        running: dict[Future[Block], int] = {}
        try:
            while True:
                for number in remaining:
                    running[pool.submit(check, number)] = number
                    if len(running) > workers:
                        break
                if not running:
                    break
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    report.add(running.pop(future), future.result())
                    bar.show()
        except KeyboardInterrupt:
            pool.shutdown(cancel_futures=True)
            print("\ninterrupted: the same call goes on", file=sys.stderr)
    bar.end()


class _Bar:
    """The progress on stderr: in place on a terminal, otherwise a line each minute."""

    def __init__(self, num_blocks: int, report: Report) -> None:
        self._num_blocks, self._report = num_blocks, report
        self._start, self._first, self._shown = time.monotonic(), len(report.done), 0.0

    def show(self) -> None:
        done, now = len(self._report.done), time.monotonic()
        is_terminal = sys.stderr.isatty()
        if now - self._shown < (0.2 if is_terminal else 60):
            return
        self._shown = now
        seconds = (now - self._start) / (done - self._first) * (self._num_blocks - done)
        filled = BAR * done // self._num_blocks
        counts = ", ".join(f"{name} {count}" for name, count in sorted(self._report.counts.items()))
        line = f"[{'#' * filled}{'.' * (BAR - filled)}] {done}/{self._num_blocks} blocks, "
        line += f"{seconds / 60:.0f} min left, {counts}"
        print(line, end="\r" if is_terminal else "\n", file=sys.stderr, flush=True)

    def end(self) -> None:
        if sys.stderr.isatty():
            print(file=sys.stderr)


def finish(report: Report, figures: dict[str, Any]) -> int:
    """Print the figures as a JSON object, and failures to stderr; the exit status."""
    for failure in report.failures[:SHOWN_FAILURES]:
        print(failure, file=sys.stderr)
    if len(report.failures) > SHOWN_FAILURES:
        print(f"and {len(report.failures) - SHOWN_FAILURES} more", file=sys.stderr)
    print(json.dumps({**figures, **dict(sorted(report.counts.items()))}))
    return 1 if report.failures else 0
