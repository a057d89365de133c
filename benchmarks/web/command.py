r"""Measure the npm package in Chromium, beside what a web developer could use instead.

    python -m benchmarks.web --texts DATA/intents/clinc150/test.jsonl
    python -m benchmarks.web --systems fast,nlpjs,minilm,onnx-fast --measures answers

Needs Node, Chromium and the package (`make web`), and the packages of benchmarks/web/package.json,
which it installs. Each system has the templates of the set `smart_home`. Prints JSON lines:

`size`          bytes of all that a first visit fetches, as they are and compressed
`visit`         milliseconds, least and median of first visits: `ready_ms` from the last byte to
                the recogniser, `first_ms` of the first text, `load_ms` of all from the start
`processor_ms`  (`openings`) processor time of the page's main thread to open the bot file, whose
                bytes are there, and of the first text: unlike times, not longer where others work
`second_visit`  requests and bytes of a first visit and, after Chromium was closed, of a second, by
                the header `Cache-Control` of all files
`query_us`      microseconds of a text, medians over the texts: of all times, and of the least of
                each text's rounds. `first` is the first round of a recogniser just opened, `seen`
                are later ones, and `processor_us` is their mean processor time. In `unseen` each
                text has a recogniser of its own, to which all its words are new
`answers`       counts over the bots of `tests/resources/small_bots`: answers that are right,
                refused or another intent, and the foreign texts that were accepted
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.systems.contract import DEFAULT_CACHE
from benchmarks.systems.minilm import build_minilm
from benchmarks.timing import processor
from benchmarks.web.answers import summarise
from benchmarks.web.plan import (
    FOLDER,
    MODELS,
    ROOT,
    SYSTEMS,
    TEMPLATES,
    describe_bot,
    describe_systems,
    export_folder_of,
    read_texts,
)
from pocketintent.evaluation.bots.answers import read_bots
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.templates.files import find_templates
from pocketintent.training.corpora.written_bots import WrittenBot

MEASURES = ("visits", "openings", "second_visit", "queries", "answers")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    args = _parse(arguments)
    try:
        for line in measure(args):
            print(json.dumps(line), flush=True)
    except PocketIntentError as error:
        print(f"benchmarks.web: {error}", file=sys.stderr)
        return 1
    return 0


def measure(args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Prepare what is missing, and yield a line for each system and measure."""
    bots = [bot for bot, _ in read_bots(args.bots)] if "answers" in args.measures else []
    node = _find("node", "Node 20")
    chromium = os.environ.get("CHROMIUM") or _find(
        "chromium", "Chromium (apt-get install chromium)"
    )
    if not (args.dist / "index.js").is_file():
        raise PocketIntentError(f"{args.dist} has no index.js: `make web` builds the package")
    _install(args.systems)
    args.cache.mkdir(parents=True, exist_ok=True)
    _prepare(args.systems, bots, args.cache)
    with tempfile.TemporaryDirectory() as folder:
        plan = make_plan(args, bots, chromium, Path(folder))
        path = Path(folder) / "plan.json"
        path.write_text(json.dumps(plan), "utf-8")
        yield from _with_answers(_run([node, str(FOLDER / "measure.mjs"), str(path)]), bots)


def make_plan(
    args: argparse.Namespace, bots: Sequence[WrittenBot], chromium: str, folder: Path
) -> dict[str, Any]:
    """What measure.mjs does; a folder gets the scripts that it bundles."""
    texts = [text for path in args.texts for text in read_texts(path)[: args.queries]]
    bundled = {"nlpjs": "nlpjs", "minilm": "minilm", "onnx": "onnx"}
    kinds = {name.partition("-")[0] for name in args.systems}
    folders = {
        "/dist/": args.dist,
        "/systems/": FOLDER / "systems",
        "/bundled/": folder,
        "/models/": ROOT / "sdk" / "pocketintent" / "assets",
        "/onnxruntime/": FOLDER / "node_modules" / "onnxruntime-web" / "dist",
        "/minilm/": args.cache,
        "/exports/": args.cache / "exports",
    }
    return {
        "chromium": chromium,
        "sizes": str(args.cache / "sizes.json"),
        "bundled": [script for kind, script in bundled.items() if kind in kinds],
        "folders": {address: str(path.resolve()) for address, path in folders.items()},
        "systems": describe_systems(args.systems, bots),
        "templates": json.loads(find_templates(TEMPLATES).read_text("utf-8")),
        "bots": [describe_bot(bot) for bot in bots],
        "first_text": "could you put the lights on",
        "texts": texts,
        "visits": args.visits,
        "rounds": args.rounds,
        "measures": args.measures,
    }


def _with_answers(
    lines: Iterator[dict[str, Any]], bots: Sequence[WrittenBot]
) -> Iterator[dict[str, Any]]:
    """The lines, with one for each system in place of the answers of each of its bots."""
    found: dict[str, dict[str, Any]] = defaultdict(dict)
    for line in lines:
        if line["measure"] != "answers":
            yield line | _load()
            continue
        system = line["system"]
        found[system][line["bot"]] = line["answers"]
        if len(found[system]) == len(bots):
            figures = summarise(bots, found[system], has_threshold=system != "minilm")
            yield {"measure": "answers", "system": system, **figures}


def _load() -> dict[str, Any]:
    """What else a time depends on."""
    return {"machine_load": round(os.getloadavg()[0], 1), "processor": processor()}


def _run(call: Sequence[str]) -> Iterator[dict[str, Any]]:
    with subprocess.Popen(call, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        assert process.stdout is not None
        yield from map(json.loads, process.stdout)
    if process.returncode:
        raise PocketIntentError(f"measure.mjs ended with status {process.returncode}")


def _find(program: str, what: str) -> str:
    found = shutil.which(program)
    if found is None:
        raise PocketIntentError(f"{what} is needed, as `{program}` on the path")
    return found


def _install(systems: Sequence[str]) -> None:
    """Install the packages of package.json, once."""
    if not (FOLDER / "node_modules" / "puppeteer-core").is_dir():
        subprocess.run(
            [_find("npm", "npm"), "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
            cwd=FOLDER,
            check=True,
            stdout=sys.stderr,
        )


def _prepare(systems: Sequence[str], bots: Sequence[WrittenBot], cache: Path) -> None:
    """Make the files of the systems that ship none, unless the cache has them."""
    if "minilm" in systems:
        build_minilm(cache)
    exports = cache / "exports"
    for model in [name.partition("-")[2] for name in systems if name.startswith("onnx-")]:
        from pocketintent_export import export_folder

        exports.mkdir(exist_ok=True)
        sources: dict[str, Any] = {bot.name: bot.template_file() for bot in bots}
        for name, source in {TEMPLATES: TEMPLATES, **sources}.items():
            folder = exports / export_folder_of(name, model)
            if not folder.exists():
                print(f"exporting {folder}", file=sys.stderr)
                export_folder(folder, source, model)


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.web",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )

    def names(known: Sequence[str]) -> Any:
        def parse(text: str) -> list[str]:
            chosen = text.split(",")
            unknown = sorted(set(chosen) - set(known))
            if unknown:
                raise argparse.ArgumentTypeError(
                    f"unknown {', '.join(unknown)}; there are {', '.join(known)}"
                )
            return chosen

        return parse

    parser.add_argument(
        "--systems", type=names([*SYSTEMS]), default=list(MODELS), help=", ".join(SYSTEMS)
    )
    parser.add_argument(
        "--measures", type=names(MEASURES), default=list(MEASURES), help=", ".join(MEASURES)
    )
    parser.add_argument(
        "--texts",
        type=Path,
        nargs="+",
        default=[ROOT / "docs" / "examples" / "smart_home_utterances.csv"],
        metavar="FILE",
        help="utterances to time: .csv and .jsonl with `text`, or lines",
    )
    parser.add_argument("--queries", type=int, default=200, help="texts of each file (200)")
    parser.add_argument("--rounds", type=int, default=15, help="times that each is asked (15)")
    parser.add_argument("--visits", type=int, default=15, help="first visits (15)")
    parser.add_argument(
        "--bots",
        type=Path,
        default=ROOT / "tests" / "resources" / "small_bots",
        metavar="DIR",
        help="bots for `answers` (tests/resources/small_bots)",
    )
    parser.add_argument("--dist", type=Path, default=ROOT / "sdk" / "web" / "dist", metavar="DIR")
    parser.add_argument("--cache", type=Path, default=DEFAULT_CACHE, metavar="DIR")
    return parser.parse_args(arguments)
