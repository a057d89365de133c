"""Ask the core in C and ``pocketintent/plain`` the same texts: both must answer alike.

    python -m benchmarks.robustness.plain_texts ../shared/data --report texts.jsonl
    python -m benchmarks.robustness.plain_texts ../shared/data --bots default --count 5000

The bots and texts are those of ``core_texts``; the core runs on AVX2, where the machine has it. The
intent, the reason, the template, the text as read and the tokens must be equal, and scores within
1e-5; where the scores are as near to each other or to a threshold, rounding decides. The recogniser
in JavaScript is built from its sources, and needs Node and ``npm ci`` in ``sdk/web``. A call with
the report of an earlier one goes on where that ended. One JSON object goes to stdout; failures go
to stderr, and the status is 1.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from benchmarks.robustness.core.asking import OPEN, Case, ask
from benchmarks.robustness.core.blocks import Block, Report, finish, run_blocks
from benchmarks.robustness.core.building import compile_answers
from benchmarks.robustness.core.comparing import Expected, differences, is_close_call
from benchmarks.robustness.core.texts import Drawn, read_texts
from benchmarks.robustness.core_texts import BOTS
from pocketintent.recognizer import IntentRecognizer
from pocketintent.runtime.templates.template_set import TemplateSet

PLAIN = Path(__file__).resolve().parents[2] / "sdk" / "web" / "tests" / "plain" / "answers.mjs"
"""Answers for ``pocketintent/plain``."""
BLOCK = 1000


@cache
def _opened(path: Path) -> tuple[TemplateSet, bytes]:
    return IntentRecognizer.load(path, backend="numpy").templates, path.read_bytes()


@cache
def _texts(data: Path) -> Drawn:
    return Drawn(read_texts(data))


def expect(templates: TemplateSet, answer: dict[str, Any]) -> Expected:
    """What the core says of a text, for a comparison.

    Args:
        templates: The template set of the bot.
        answer: The answer of the core.
    """
    match, ranking = answer["match"], [candidate["score"] for candidate in answer["rank"]]
    close = is_close_call(templates, match)
    return Expected(match, close, ranking, answer["read"], answer["tokens"])


def check_block(program: Path, path: Path, data: Path, count: int, block: int) -> Block:
    """Check a block of texts with one bot.

    Args:
        program: The program that answers for the core.
        path: The bot file.
        data: The folder of the data sets.
        count: Number of texts of all blocks.
        block: Number of the block.
    """
    texts = [_texts(data)[number] for number in range(count)[block * BLOCK :][:BLOCK]]
    templates, content = _opened(path)
    replies = []
    calls: list[list[str | Path]] = [[program], ["node", PLAIN]]
    for call in calls:
        answered, at_end = ask(call, [Case(content, texts)])
        replies += answered
        if at_end or answered[0].status != OPEN:
            return Block(Counter(), [f"{path.stem}: {call[-1]}: {at_end or answered[0].message}"])
    core, plain = replies
    failures = [
        f"{path.stem}: {text!a}: {', '.join(unequal)}"
        for text, wanted, answer in zip(texts, core.answers, plain.answers, strict=True)
        if (unequal := differences(expect(templates, wanted), answer))
    ]
    return Block(Counter({f"{path.stem}, texts": len(texts)}), failures)


def check_any_block(
    program: Path, paths: Sequence[Path], data: Path, count: int, number: int
) -> Block:
    """Check a block of one bot after the other, so that a run that ends early has some of each."""
    block, bot = divmod(number, len(paths))
    return check_block(program, paths[bot], data, count, block)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.robustness.plain_texts",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("data", type=Path, help="the folder of the public data sets")
    parser.add_argument("--count", type=int, default=100_000, help="texts of a bot (%(default)s)")
    parser.add_argument("--bots", nargs="+", choices=BOTS, default=list(BOTS), help="which (all)")
    parser.add_argument("--workers", type=int, default=1, help="processes (%(default)s)")
    parser.add_argument("--report", type=Path, help="keeps what is done, to go on after a break")
    args = parser.parse_args(arguments)
    settings = {"bots": args.bots, "count": args.count}
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


if __name__ == "__main__":
    sys.exit(main())
