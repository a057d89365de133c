"""Open mutated bot files by Python and by ``pocketintent/plain``: both refuse, or answer alike.

    python -m benchmarks.robustness.plain_files --count 100000 --report files.jsonl
    python -m benchmarks.robustness.plain_files --seed 1234 --count 1            one file again

The files and the texts are those of ``core_files``. The errors must be of the same class; the
answers to the texts must be equal, with scores within 1e-5. Models of kinds that the recogniser in
JavaScript does not run are counted apart. It is built from its sources, and needs Node and ``npm
ci`` in ``sdk/web``. A call with the report of an earlier one goes on where that ended. One JSON
object goes to stdout; failures go to stderr, and the status is 1.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from benchmarks.robustness.core.asking import Case, Reply, ask
from benchmarks.robustness.core.blocks import Block, Report, finish, run_blocks
from benchmarks.robustness.core_files import BLOCK, TEXTS, draw, judge
from benchmarks.robustness.plain_texts import PLAIN

OTHER_KINDS = ("of the kind 'charemb'", "of the kind 'combined'")
"""What the messages say of kinds that are not run."""


def judge_plain(content: bytes, reply: Reply, path: Path) -> tuple[str, str]:
    """As ``core_files.judge``, but for models of other kinds."""
    if any(kind in reply.message for kind in OTHER_KINDS):
        return "of another kind", ""
    return judge(content, reply, path)


def check_block(first: int, count: int, block: int) -> Block:
    """Check a block of files.

    Args:
        first: Seed of the first file of all blocks.
        count: Number of files of all blocks.
        block: Number of the block.
    """
    result, numbers = Block(Counter(), []), range(first, first + count)[block * BLOCK :][:BLOCK]
    cases = [Case(draw(number), TEXTS) for number in numbers]
    replies, at_end = ask(["node", PLAIN], cases)
    if at_end:
        result.failures.append(f"files from {numbers[0]}: {at_end}")
    with tempfile.TemporaryDirectory() as folder:
        for number, case, reply in zip(numbers, cases, replies, strict=True):
            became, unequal = judge_plain(case.content, reply, Path(folder) / "bot.safetensors")
            result.counts[became] += 1
            if unequal:
                result.failures.append(f"--seed {number}: {unequal}")
    return result


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.robustness.plain_files",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--count", type=int, default=10_000, help="number of files (%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first file (%(default)s)")
    parser.add_argument("--workers", type=int, default=1, help="processes (%(default)s)")
    parser.add_argument("--report", type=Path, help="keeps what is done, to go on after a break")
    args = parser.parse_args(arguments)
    settings = {"files": args.seed, "count": args.count}
    with tempfile.TemporaryDirectory() as folder:
        report = Report(args.report or Path(folder) / "report.jsonl", settings)
        check = partial(check_block, args.seed, args.count)
        run_blocks(check, -(-args.count // BLOCK), args.workers, report)
    return finish(report, settings)


if __name__ == "__main__":
    sys.exit(main())
