"""Source lines of each room of the product, and words of the README, against their targets.

    python -m benchmarks.sizes

A source line is a line of a ``.py`` file: code, docstrings, comments and blank lines alike. Exits
with 1 if a target is missed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SDK = "sdk/pocketintent"
ROOMS: dict[str, tuple[int, list[str]]] = {
    "runtime": (9700, [f"{SDK}/recognizer.py", f"{SDK}/__*__.py", f"{SDK}/runtime/**/*.py"]),
    "bot tools": (1500, [f"{SDK}/bot/**/*.py"]),
    "training": (7500, [f"{SDK}/settings.py", f"{SDK}/training/**/*.py"]),
    "compression": (1030, [f"{SDK}/compression/**/*.py"]),
    "evaluation": (3050, [f"{SDK}/records.py", f"{SDK}/evaluation/**/*.py"]),
    "export": (2500, ["export/**/*.py"]),
    "command": (2750, [f"{SDK}/cli/**/*.py"]),
    "demo": (600, ["demo_app/**/*.py"]),
}
"""Target and files of each room."""
PRODUCT = 28580
README_WORDS = 1200


def count_lines(patterns: Iterable[str], root: Path = ROOT) -> int:
    """The lines of the files that match any of the patterns."""
    files = {path for pattern in patterns for path in root.glob(pattern)}
    return sum(len(path.read_text("utf-8").splitlines()) for path in files)


def measure() -> list[tuple[str, int, int]]:
    """Name, size and target: the rooms, the product, and the words of the README."""
    rows = [(room, count_lines(files), target) for room, (target, files) in ROOMS.items()]
    rows.append(("product", sum(size for _, size, _ in rows), PRODUCT))
    words = len((ROOT / "README.md").read_text("utf-8").split())
    return [*rows, ("README, words", words, README_WORDS)]


def main() -> int:
    """Print a row for each room."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sizes", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.parse_args()
    rows = measure()
    for name, size, target in rows:
        print(f"{name:<14}{size:>7,} of {target:>6,}" + ("  too large" if size > target else ""))
    return int(any(size > target for _, size, target in rows))


if __name__ == "__main__":
    sys.exit(main())
