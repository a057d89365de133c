"""Make the runs of a comparison, beside other processes that work at the same plan."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pocketintent
from pocketintent.runtime.errors import PocketIntentError
from pocketintent_lab.comparison.store import Store
from pocketintent_lab.comparison.tasks import Task

Report = Callable[[str], None]
"""Receives a line of progress for people."""

PAUSE = 1.0
"""Seconds between two looks at the runs of other processes."""


def run_tasks(tasks: Sequence[Task], store: Store, report: Report) -> None:
    """Make the runs that have no result yet, until all have one or cannot be made.

    A run whose model is missing waits for it; a run whose model cannot be made is left out. Runs
    that other processes have claimed are waited for, and made here if their process dies.

    Args:
        tasks: The runs.
        store: The folder of the comparison.
        report: Receives progress.
    """
    _forget_lost_models(tasks, store)
    worker = _Worker(tasks, store, report)
    while worker.waiting:
        if not worker.pass_over():
            time.sleep(PAUSE)


def failed(result: dict[str, Any] | None) -> bool:
    """Whether a result is an error."""
    return result is not None and "error" in result


def _forget_lost_models(tasks: Sequence[Task], store: Store) -> None:
    """Remove the results of training runs whose model is gone and still needed."""
    for task in tasks:
        if store.result(task.key) is None:
            for training in task.needs:
                result = store.result(training.key)
                if result and not failed(result) and not store.model(training.key).exists():
                    store.forget(training.key)


class _Worker:
    """The runs that are left, and the progress of this process."""

    def __init__(self, tasks: Sequence[Task], store: Store, report: Report) -> None:
        self.waiting = [task for task in tasks if store.result(task.key) is None]
        self._store, self._report = store, report
        self._total = len(tasks)
        self._seconds: list[float] = []
        cached = self._total - len(self.waiting)
        report(f"{self._total} runs, {cached} of them finished before")

    def pass_over(self) -> bool:
        """Try each run that is left once; returns whether any of them was settled."""
        before = len(self.waiting)
        for task in list(self.waiting):
            results = [self._store.result(needed.key) for needed in task.needs]
            if self._store.result(task.key) is not None or any(map(failed, results)):
                self.waiting.remove(task)
            elif all(result is not None for result in results):
                with self._store.claimed(task.key) as claim:
                    # Another process may have finished the run before the claim was free.
                    if claim is not None and self._store.result(task.key) is None:
                        self._run(task, claim)
        return len(self.waiting) < before

    def _run(self, task: Task, claim: int) -> None:
        self._report(f"{task.label} …")
        started = time.monotonic()
        outcome: dict[str, Any]
        try:
            outcome = {"outcome": task.run(self._store, claim)}
        except (PocketIntentError, OSError, MemoryError) as error:
            outcome = {"error": str(error) or type(error).__name__}
        seconds = time.monotonic() - started
        machine = {"machine": describe_machine(), "version": pocketintent.__version__}
        self._store.save(task.key, {"label": task.label, "seconds": seconds, **machine, **outcome})
        self._store.end_work(task.key)
        self.waiting.remove(task)
        self._seconds.append(seconds)
        self._say(task, seconds, outcome.get("error"))

    def _say(self, task: Task, seconds: float, error: Any) -> None:
        done, left = self._total - len(self.waiting), len(self.waiting)
        ahead = sum(self._seconds) / len(self._seconds) * left / 60
        end = f"failed: {error}" if error else f"{seconds:.1f} s"
        self._report(f"[{done}/{self._total}] {task.label}: {end}; about {ahead:.0f} min left")


def describe_machine() -> dict[str, Any]:
    """The machine, and the versions that figures depend on."""
    import numpy

    return {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        **_installed("torch", "gensim"),
    }


def _installed(*names: str) -> dict[str, str]:
    """The versions of packages, without importing them."""
    from importlib.metadata import PackageNotFoundError, version

    found = {}
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())
