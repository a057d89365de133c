"""Open mutated bot files by Python and by the core in C: both refuse a file, or both answer alike.

    python -m benchmarks.robustness.core_files --count 1000000 --report files.jsonl
    python -m benchmarks.robustness.core_files --seed 1234 --count 1            one file again
    python -m benchmarks.robustness.core_files --files FOLDER                   files of a fuzzer

The core runs in processes of its own, compiled by gcc with AddressSanitizer and
UndefinedBehaviorSanitizer. The errors must be of the same class; the answers to some texts must be
equal, with scores within 1e-5. A call with the report of an earlier one goes on where that ended.
One JSON object goes to stdout; failures go to stderr, and the status is 1. docs/robustness.md has
the figures.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path

import numpy as np

from benchmarks.robustness.core.asking import OPEN, Case, Reply, ask
from benchmarks.robustness.core.blocks import Block, Report, finish, run_blocks
from benchmarks.robustness.core.building import SANITIZERS, compile_answers
from benchmarks.robustness.core.comparing import differences, expect, is_refused_alike
from benchmarks.robustness.hostile_files import bots, models
from benchmarks.robustness.hostile_files.models import Parts
from pocketintent.recognizer import IntentRecognizer
from pocketintent.runtime.errors import PocketIntentError

TEXTS = ("turn on the light", "plai sme music", "", "x", "\u200b\ud800 🙂", "the " * 40)
INSTRUCTIONS = ("avx2", "sse2", "plain")
DIMS = (4, 36)
"""Dimensions of the bots: fewer than a vector of the processor, and more than two, with a rest."""
BLOCK = 1000


def judge(content: bytes, reply: Reply, path: Path) -> tuple[str, str]:
    """Compare what both sides make of a file.

    Args:
        content: The file.
        reply: What the core says of it and of ``TEXTS``.
        path: Where to write the file, for Python.

    Returns:
        What became of the file, and what is unequal, "" for nothing.

    """
    if not reply.status:
        return "failed", f"the core ended: {reply.message}"
    path.write_bytes(content)
    core = f"core: {reply.status}: {reply.message}"
    with np.errstate(all="ignore"):
        try:
            recognizer = IntentRecognizer.load(path, backend="numpy")
        except PocketIntentError as error:
            name = type(error).__name__
            if is_refused_alike(error, reply.status, path):
                return f"refused by {name}", ""
            return "failed", f"{name}: {error}; {core}"
        if reply.status != OPEN:
            return "failed", f"Python opens it; {core}"
        expected = expect(recognizer, TEXTS)
    unequal = [
        f"{text[:20]!r}: {', '.join(names)}"
        for text, wanted, answer in zip(TEXTS, expected, reply.answers, strict=True)
        if (names := differences(wanted, answer))
    ]
    return ("failed" if unequal else "opened"), "; ".join(unequal)


@cache
def _bots() -> list[Parts]:
    return [parts for dim in DIMS for parts in bots.tiny_bots(np.random.default_rng(0), dim)]


def draw(seed: int) -> bytes:
    """The mutated file of a seed: a third have changes of the whole model, others of the bot."""
    mutate = models.mutate if seed % 3 == 0 else bots.mutate
    return mutate(_bots()[seed % len(_bots())], np.random.default_rng([78, seed]))


def check_block(program: Path, first: int, count: int, files: Sequence[Path], block: int) -> Block:
    """Check a block of files.

    Args:
        program: The program that answers for the core.
        first: Seed of the first file of all blocks, or its position.
        count: Number of files of all blocks.
        files: Files to read; if there are none they are drawn.
        block: Number of the block.
    """
    result, numbers = Block(Counter(), []), range(first, first + count)[block * BLOCK :][:BLOCK]
    cases = [
        Case(
            files[number].read_bytes() if files else draw(number),
            TEXTS,
            INSTRUCTIONS[number % len(INSTRUCTIONS)],
        )
        for number in numbers
    ]
    replies, at_end = ask([program], cases)
    if at_end:
        result.failures.append(f"files from {numbers[0]}: at its end the core said: {at_end}")
    with tempfile.TemporaryDirectory() as folder:
        for number, case, reply in zip(numbers, cases, replies, strict=True):
            became, unequal = judge(case.content, reply, Path(folder) / "bot.safetensors")
            result.counts[became] += 1
            if unequal:
                name = str(files[number]) if files else f"--seed {number}"
                result.failures.append(f"{name}: {unequal}")
    return result


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.robustness.core_files",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--count", type=int, default=10_000, help="number of files (%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first file (%(default)s)")
    parser.add_argument("--files", type=Path, metavar="FOLDER", help="files instead of drawn ones")
    parser.add_argument("--workers", type=int, default=1, help="processes (%(default)s)")
    parser.add_argument("--report", type=Path, help="keeps what is done, to go on after a break")
    args = parser.parse_args(arguments)
    files = sorted(path for path in args.files.iterdir() if path.is_file()) if args.files else []
    first, count = (0, len(files)) if args.files else (args.seed, args.count)
    with tempfile.TemporaryDirectory() as folder:
        program = compile_answers(Path(folder) / "answers", *SANITIZERS)
        settings = {"files": str(args.files) if args.files else first, "count": count}
        report = Report(args.report or Path(folder) / "report.jsonl", settings)
        check = partial(check_block, program, first, count, files)
        run_blocks(check, -(-count // BLOCK), args.workers, report)
    return finish(report, settings)


if __name__ == "__main__":
    sys.exit(main())
