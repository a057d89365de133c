"""Calls timed side by side on one thread. Import it before NumPy: it sets how many threads."""

from __future__ import annotations

import os

for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"  # before NumPy is imported
os.environ["TOKENIZERS_PARALLELISM"] = "false"

import gc  # noqa: E402
import platform  # noqa: E402
import time  # noqa: E402
from collections.abc import Callable, Mapping, Sequence  # noqa: E402
from pathlib import Path  # noqa: E402

import numpy as np  # noqa: E402

Call = Callable[[str], object]

CLOCKS: dict[str, Callable[[], int]] = {
    "wall": time.perf_counter_ns,
    "cpu": time.process_time_ns,
}
"""What is measured: time that passes, or time that this process computes, in nanoseconds."""


def measure(
    calls: Mapping[str, Call],
    texts: Sequence[str],
    rounds: int,
    *,
    warm_up: Sequence[str],
    before: Mapping[str, Callable[[], object]] | None = None,
    clock: str = "wall",
) -> dict[str, np.ndarray]:
    """Time calls on the same texts, one text at a time.

    The calls take turns, a part of the texts each, so that a slow moment of the machine falls
    on all of them.

    Args:
        calls: What is timed, by name.
        texts: What each is called with.
        rounds: Turns of each.
        warm_up: Texts that each is called with before, and the first of them at the start of
            each turn too, which does not count.
        before: By name what is to be done before each call, which does not count either.
        clock: One of ``CLOCKS``. On a machine that others use, ``cpu`` leaves out the time in
            which they had the processor; such pauses fall on long calls and not on short ones.

    Returns:
        By name the microseconds of each call, float64 ``[len(texts)]``.
    """
    prepare, now = before or {}, CLOCKS[clock]
    for call in calls.values():
        for text in warm_up:
            call(text)
    taken: dict[str, list[int]] = {name: [] for name in calls}
    gc.collect()
    gc.disable()
    try:
        for part in np.array_split(np.array(texts, dtype=object), rounds):
            for name, call in calls.items():
                times, first = taken[name], prepare.get(name)
                for text in warm_up[:1]:
                    call(text)  # the others' turns have filled the processor's caches
                for text in part:
                    if first is not None:
                        first()
                    started = now()
                    call(text)
                    times.append(now() - started)
    finally:
        gc.enable()
    return {name: np.array(times) / 1e3 for name, times in taken.items()}


def processor() -> str:
    """The name of this machine's processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())
