"""Start one system in a fresh process: time to load, time to teach, peak memory.

    python -m benchmarks.speed.cold_start model2vec --templates templates.json

``latency.py`` calls it for each system. The templates are ``[[text, intent], …]``; the files that
the system ships with must be in the cache. Prints one JSON line.
"""

from __future__ import annotations

import time

STARTED = time.perf_counter()

import argparse  # noqa: E402
import json  # noqa: E402
from pathlib import Path  # noqa: E402

from benchmarks.memory import peak_bytes  # noqa: E402
from benchmarks.systems.contract import DEFAULT_CACHE  # noqa: E402
from benchmarks.systems.registry import make_system, system_names  # noqa: E402


def main() -> None:
    """Load, teach, match once, and print the times and the memory."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("system", choices=system_names())
    parser.add_argument("--templates", type=Path, required=True, metavar="FILE.json")
    parser.add_argument("--model", type=Path, metavar="FILE")
    parser.add_argument("--cache", type=Path, default=DEFAULT_CACHE, metavar="DIR")
    args = parser.parse_args()
    system = make_system(args.system, args.model)
    system.load(args.cache)
    loaded = time.perf_counter()
    pairs = json.loads(args.templates.read_text(encoding="utf-8"))
    texts, intents = zip(*pairs, strict=True)
    read = time.perf_counter()
    system.teach(texts, intents)
    taught = time.perf_counter()
    system.match(texts[0])
    matched = time.perf_counter()
    report = {
        "load_ms": (loaded - STARTED) * 1e3,
        "teach_ms": (taught - read) * 1e3,
        "first_match_ms": (matched - taught) * 1e3,
        "peak_mb": peak_bytes() / 1e6,
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main()
