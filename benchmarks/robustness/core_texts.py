"""Ask Python and the core in C the same texts: both must answer alike, on each set of instructions.

    python -m benchmarks.robustness.core_texts ../shared/data --report texts.jsonl
    python -m benchmarks.robustness.core_texts ../shared/data --bots tiny --count 2000

The texts are those of the data sets, with and without typing errors, characters of each block of
Unicode, and hostile ones. The intent, the reason, the template, the text as read and the tokens
must be equal, and scores within 1e-5; where the scores are as near to each other or to a threshold,
rounding decides. The bots are shipped template sets with the shipped models, and with a static one
that has the words of `tiny`. A call with the report of an earlier one goes on where that ended. One
JSON object goes to stdout; failures go to stderr, and the status is 1. docs/robustness.md has the
figures.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path

from benchmarks.robustness.core.asking import OPEN, Case, ask
from benchmarks.robustness.core.blocks import Block, Report, finish, run_blocks
from benchmarks.robustness.core.building import compile_answers
from benchmarks.robustness.core.comparing import differences, expect
from benchmarks.robustness.core.texts import Drawn, read_texts
from pocketintent.recognizer import IntentRecognizer
from pocketintent.runtime.encoders.contextual.encoder import ContextualEncoder
from pocketintent.runtime.encoders.registry import load_encoder

INSTRUCTIONS = ("avx2", "sse2", "plain")
BLOCK = 500


def _shipped(templates: str, model: str) -> IntentRecognizer:
    return IntentRecognizer.load(templates, model, backend="numpy")


def _static() -> IntentRecognizer:
    """The words and n-grams of ``tiny`` without its network."""
    encoder = load_encoder("tiny")
    assert isinstance(encoder, ContextualEncoder)
    return IntentRecognizer(encoder.table, "small_talk", decision="nearest")


BOTS: dict[str, Callable[[], IntentRecognizer]] = {
    "tiny": partial(_shipped, "banking_support", "tiny"),
    "fast": partial(_shipped, "travel", "fast"),
    "default": partial(_shipped, "smart_home", "default"),
    "static": _static,
}
"""Makes the bot of each name."""


@cache
def _opened(path: Path) -> tuple[IntentRecognizer, bytes]:
    return IntentRecognizer.load(path, backend="numpy"), path.read_bytes()


@cache
def _texts(data: Path) -> Drawn:
    return Drawn(read_texts(data))


def check_block(program: Path, path: Path, data: Path, count: int, block: int) -> Block:
    """Check a block of texts with one bot, on each set of instructions.

    Args:
        program: The program that answers for the core.
        path: The bot file.
        data: The folder of the data sets.
        count: Number of texts of all blocks.
        block: Number of the block.
    """
    numbers = range(count)[block * BLOCK :][:BLOCK]
    texts = [_texts(data)[number] for number in numbers]
    recognizer, content = _opened(path)
    cases = [Case(content, texts, instructions) for instructions in INSTRUCTIONS]
    expected = expect(recognizer, texts)
    replies, at_end = ask([program], cases)
    failures = [f"{path.stem}: at its end the core said: {at_end}"] if at_end else []
    for case, reply in zip(cases, replies, strict=True):
        name = f"{path.stem} on {case.instructions}"
        if reply.status != OPEN:
            failures.append(f"{name}: {reply.status or 'the core ended'}: {reply.message}")
            continue
        failures += [
            f"{name}: {text!a}: {', '.join(unequal)}"
            for text, wanted, answer in zip(texts, expected, reply.answers, strict=True)
            if (unequal := differences(wanted, answer))
        ]
    return Block(Counter({f"{path.stem}, texts": len(texts)}), failures)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.robustness.core_texts",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("data", type=Path, help="the folder of the public data sets")
    parser.add_argument("--count", type=int, default=100_000, help="texts of a bot (%(default)s)")
    parser.add_argument("--bots", nargs="+", choices=BOTS, default=list(BOTS), help="which (all)")
    parser.add_argument("--workers", type=int, default=1, help="processes (%(default)s)")
    parser.add_argument("--report", type=Path, help="keeps what is done, to go on after a break")
    args = parser.parse_args(arguments)
    settings = {"bots": args.bots, "count": args.count, "instructions": list(INSTRUCTIONS)}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program = compile_answers(folder / "answers", "-O2")
        paths = [folder / f"{bot}.safetensors" for bot in args.bots]
        for path in paths:
            BOTS[path.stem]().save(path)
        report = Report(args.report or folder / "report.jsonl", settings)
        check = partial(check_any_block, program, paths, args.data, args.count)
        run_blocks(check, -(-args.count // BLOCK) * len(paths), args.workers, report)
    return finish(report, settings)


def check_any_block(
    program: Path, paths: Sequence[Path], data: Path, count: int, number: int
) -> Block:
    """Check a block of one bot after the other, so that a run that ends early has some of each."""
    block, bot = divmod(number, len(paths))
    return check_block(program, paths[bot], data, count, block)


if __name__ == "__main__":
    sys.exit(main())
