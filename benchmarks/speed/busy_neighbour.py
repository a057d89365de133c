r"""Time loading, editing and matching while other processes keep every core busy.

    python -m benchmarks.speed.busy_neighbour
    python -m benchmarks.speed.busy_neighbour --blas-threads 1
    python -m benchmarks.speed.busy_neighbour --neighbours 0

A BLAS that splits small products among threads waits at each of them for the slowest thread, which
a busy neighbour delays by whole time slices. Prints a JSON line: the median milliseconds of a load
from JSON and of an edit, and the median microseconds of a match and of a text in a batch.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from statistics import median

ROOMS = range(64)
TEXTS = [f"could you {word} the lamp in room {room} please" for room in ROOMS for word in "ab"]
BUSY = "while True: pass"
LIMITS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
"""Variables that the other benchmarks set to 1."""


def main() -> None:
    """Measure in a fresh process beside the neighbours."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--templates", default="smart_home", help="template file or shipped set")
    parser.add_argument("--neighbours", type=int, default=os.cpu_count(), help="busy processes")
    parser.add_argument(
        "--blas-threads", type=int, help="the environment's limit; none if left out"
    )
    parser.add_argument("--repeats", type=int, default=9, help="runs of each step")
    args = parser.parse_args()
    environment = {name: value for name, value in os.environ.items() if name not in LIMITS}
    if args.blas_threads is not None:
        environment |= dict.fromkeys(LIMITS, str(args.blas_threads))
    neighbours = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(args.neighbours)]
    try:
        command = [sys.executable, __file__, args.templates, str(args.repeats)]
        subprocess.run(command, env=environment, check=True)
    finally:
        for neighbour in neighbours:
            neighbour.kill()


def measure(templates: str, repeats: int) -> dict[str, float]:
    """The figures of a template set."""
    from pocketintent import IntentRecognizer

    recognizer = IntentRecognizer.load(templates)
    name = recognizer.intents[0]

    def median_of(step: Callable[[], object]) -> float:
        """Seconds of a step."""
        times = []
        for _ in range(repeats):
            start = time.perf_counter()
            step()
            times.append(time.perf_counter() - start)
        return median(times)

    load = median_of(lambda: IntentRecognizer.load(templates))
    edit = median_of(lambda: recognizer.add_intent(name, ["one more way to say it"]))
    match = median_of(lambda: [recognizer.match(text) for text in TEXTS]) / len(TEXTS)
    batch = median_of(lambda: recognizer.match_batch(TEXTS)) / len(TEXTS)
    return {
        "load_ms": round(load * 1e3, 1),
        "edit_ms": round(edit * 1e3, 1),
        "match_us": round(match * 1e6, 1),
        "batch_us": round(batch * 1e6, 1),
    }


if __name__ == "__main__":
    # As a file, so that the package's limit of one thread is not set.
    if __package__:
        main()
    else:
        print(json.dumps(measure(sys.argv[1], int(sys.argv[2]))))
