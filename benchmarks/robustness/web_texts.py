"""Ask Python and the npm package the same texts: both must answer alike, with each module of wasm.

    python -m benchmarks.robustness.web_texts ../shared/data --report texts.jsonl
    python -m benchmarks.robustness.web_texts ../shared/data --bots tiny --modules simd --count 2000

The package must be built (`make web`), and Node be there. The texts, the bots and what must be
equal are those of benchmarks.robustness.core_texts, but for the tokens, which the package does not
tell. A call with the report of an earlier one goes on where that ended. One JSON object goes to
stdout; failures go to stderr, and the status is 1. docs/robustness.md has the figures.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from benchmarks.robustness.core.blocks import Block, Report, finish, run_blocks
from benchmarks.robustness.core.comparing import differences, expect
from benchmarks.robustness.core.texts import Drawn, read_texts
from benchmarks.robustness.core_texts import BOTS
from pocketintent.recognizer import IntentRecognizer

WEB = Path(__file__).resolve().parents[2] / "sdk" / "web"
MODULES = {"simd": "pocketintent.wasm", "plain": "pocketintent-plain.wasm"}
"""The module of each name."""
BLOCK = 500


def ask(bot: Path, module: str, texts: Sequence[str]) -> list[Any]:
    """What the package answers: match, ranking and text as read of each text.

    Args:
        bot: The bot file.
        module: The name of the module.
        texts: The texts.

    Raises:
        subprocess.CalledProcessError: Node ended with an error, which is on stderr.
    """
    request = {"bot": str(bot), "module": str(WEB / "dist" / MODULES[module]), "texts": texts}
    run = subprocess.run(
        ["node", str(WEB / "tests" / "conformance" / "program.mjs")],
        input=f"{json.dumps(request)}\n".encode(),
        stdout=subprocess.PIPE,
        check=True,
    )
    answers: list[Any] = json.loads(run.stdout)
    return answers


def check_texts(path: Path, module: str, texts: Sequence[str]) -> list[str]:
    """A sentence on each text that the package answers unlike Python.

    Args:
        path: The bot file.
        module: The name of the module.
        texts: The texts.
    """
    failures = []
    expected = expect(_opened(path), texts)
    for text, wanted, answer in zip(texts, expected, ask(path, module, texts), strict=True):
        if unequal := differences(wanted, {**answer, "tokens": wanted.tokens}):
            failures.append(f"{path.stem} on {module}: {text!a}: {', '.join(unequal)}")
    return failures


@cache
def _opened(path: Path) -> IntentRecognizer:
    return IntentRecognizer.load(path, backend="numpy")


@cache
def _texts(data: Path) -> Drawn:
    return Drawn(read_texts(data))


def check_block(
    paths: Sequence[Path], modules: Sequence[str], data: Path, count: int, number: int
) -> Block:
    """Check a block of texts of one bot after the other.

    Args:
        paths: The bot files.
        modules: The names of the modules.
        data: The folder of the data sets.
        count: Number of texts of all blocks of a bot.
        number: Number of the block, among those of all bots.
    """
    block, bot = divmod(number, len(paths))
    texts = [_texts(data)[n] for n in range(count)[block * BLOCK :][:BLOCK]]
    failures = [text for module in modules for text in check_texts(paths[bot], module, texts)]
    return Block(Counter({f"{paths[bot].stem}, texts": len(texts)}), failures)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.robustness.web_texts",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("data", type=Path, help="the folder of the public data sets")
    parser.add_argument("--count", type=int, default=100_000, help="texts of a bot (%(default)s)")
    parser.add_argument("--bots", nargs="+", choices=BOTS, default=list(BOTS), help="which (all)")
    parser.add_argument("--modules", nargs="+", choices=MODULES, default=list(MODULES), help="all")
    parser.add_argument("--workers", type=int, default=1, help="processes (%(default)s)")
    parser.add_argument("--report", type=Path, help="keeps what is done, to go on after a break")
    args = parser.parse_args(arguments)
    settings = {"bots": args.bots, "count": args.count, "modules": args.modules}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = [folder / f"{bot}.safetensors" for bot in args.bots]
        for path in paths:
            BOTS[path.stem]().save(path)
        report = Report(args.report or folder / "report.jsonl", settings)
        check = partial(check_block, paths, args.modules, args.data, args.count)
        run_blocks(check, -(-args.count // BLOCK) * len(paths), args.workers, report)
    return finish(report, settings)


if __name__ == "__main__":
    sys.exit(main())
