"""Time the encoding of texts that are as much work as a text can be, on one thread.

    python -m benchmarks.speed.hostile_texts --model default fast tiny

One JSON line for each model: processor time of each text in milliseconds, the shortest of several
rounds. Each round starts with a fresh encoder, whose caches are empty. The tests count the work
for the same texts (`tests/runtime/test_work.py`).
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Iterable
from itertools import product

from benchmarks.timing import processor
from pocketintent import load_encoder
from pocketintent.runtime.text.tokenizer import MAX_CHARS

LETTERS = "bcdfgjkmpqvwxz"


def _characters(codes: Iterable[int]) -> str:
    return "".join(map(chr, codes))


TEXTS = {
    "short words": " ".join(map("".join, product(LETTERS, repeat=3)))[:MAX_CHARS],
    "single characters": _characters(range(0x4E00, 0x4E00 + MAX_CHARS)),
    "emoji": _characters(range(0x1F300, 0x1F300 + MAX_CHARS)),
    "characters of all scripts": _characters(
        random.Random(0).sample([*range(0x100, 0xD800), *range(0xE000, 0x30000)], MAX_CHARS)
    ),
    "a long word": "bcdz" * (MAX_CHARS // 4),
    "a word that NFKC lengthens": "\u3389" * MAX_CHARS,
    "words that NFKC lengthens": "\ufdfa" * MAX_CHARS,
    "a megabyte": " ".join(map("".join, product(LETTERS, repeat=4))) * 5,
}
"""Texts of unknown words by name; the tokenizer reads the first 4,096 characters of each."""


def main() -> None:
    """Time each model on each text."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", nargs="+", default=["default"], help="files or shipped models")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="%(default)s")
    args = parser.parse_args()
    for model in args.model:
        times = {name: shortest(model, text, args.rounds) for name, text in TEXTS.items()}
        print(json.dumps({"model": model, "ms": times, "processor": processor()}), flush=True)


def shortest(model: str, text: str, rounds: int) -> float:
    """The shortest processor time of encoding a text, in milliseconds."""
    times = []
    for _ in range(rounds):
        encoder = load_encoder(model)
        encoder.encode("unheardof")  # what an encoder decodes once, at its first unknown word
        start = time.process_time()
        encoder.encode(text)
        times.append(time.process_time() - start)
    return round(1000 * min(times), 1)


if __name__ == "__main__":
    main()
