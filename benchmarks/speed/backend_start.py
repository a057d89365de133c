"""Start one way to run a recogniser in a fresh process: time to load, peak memory.

    python -m benchmarks.speed.backend_start onnxruntime --folder DIR --templates templates.json

``backends.py`` calls it for each way. Both figures leave out ``import numpy``. Prints one JSON
line.
"""

from __future__ import annotations

import time

import numpy  # noqa: F401  (every way needs it, so the count begins after it)

from benchmarks.memory import peak_bytes

BASELINE = peak_bytes()
STARTED = time.perf_counter()

import argparse  # noqa: E402
import json  # noqa: E402
from pathlib import Path  # noqa: E402

from benchmarks.speed.ways import WAYS, make_way  # noqa: E402


def main() -> None:
    """Load, match some texts, and print the time and the memory."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("way", choices=WAYS)
    parser.add_argument("--folder", type=Path, required=True, metavar="DIR")
    parser.add_argument("--templates", type=Path, required=True, metavar="FILE.json")
    parser.add_argument("--model", type=Path, metavar="FILE")
    args = parser.parse_args()
    way = make_way(args.way, args.folder, args.templates, args.model)
    loaded = time.perf_counter()
    for text in ("turn the light on", "what is the weather like tomorrow", "unheardof"):
        way.match(text)
    report = {
        "load_ms": (loaded - STARTED) * 1e3,
        "peak_mb": (peak_bytes() - BASELINE) / 1e6,
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main()
