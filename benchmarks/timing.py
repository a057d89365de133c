"""Times of calls that take turns."""

from __future__ import annotations

import gc
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Call = Callable[[str], object]
Times = NDArray[np.float64]

CLOCKS: dict[str, Callable[[], int]] = {
    "wall": time.perf_counter_ns,
    "cpu": time.process_time_ns,
}
"""Wall-clock time, or the CPU time of this process, in nanoseconds."""


def measure(
    calls: Mapping[str, Call],
    texts: Sequence[str],
    rounds: int,
    *,
    warm_up: Sequence[str],
    before: Mapping[str, Callable[[], object]] | None = None,
    clock: str = "wall",
) -> dict[str, Times]:
    """Time calls on the same texts, one text at a time.

    The calls take turns, each with a part of the texts, so that a slow moment of the machine
    affects all alike.

    Args:
        calls: The functions to time, by name.
        texts: The texts to call each function with.
        rounds: Number of turns.
        warm_up: Texts to call each function with before the first turn, untimed. The first of
            them starts each turn too, also untimed.
        before: Functions to run before each call, untimed, by the name of the call.
        clock: One of ``CLOCKS``. On a machine that others use, ``cpu`` leaves out their time on
            the processor, which would affect long calls more than short ones.

    Returns:
        Microseconds of each call by name, float64 [num_texts].
    """
    prepare, now = before or {}, CLOCKS[clock]
    for call in calls.values():
        for text in warm_up:
            call(text)
    elapsed: dict[str, list[int]] = {name: [] for name in calls}
    gc.collect()
    gc.disable()
    try:
        for part in np.array_split(np.array(texts, dtype=object), rounds):
            for name, call in calls.items():
                times, first = elapsed[name], prepare.get(name)
                for text in warm_up[:1]:
                    call(text)  # the other calls have filled the processor's caches
                for text in part:
                    if first is not None:
                        first()
                    started = now()
                    call(text)
                    times.append(now() - started)
    finally:
        gc.enable()
    return {name: np.array(times) / 1e3 for name, times in elapsed.items()}


def processor() -> str:
    """The name of this machine's processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())
