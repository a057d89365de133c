"""Compare the systems: one query at a time, from text to intent, on one thread.

    python -m benchmarks.speed.latency --data ../shared/data
    python -m benchmarks.speed.latency --data ../shared/data --templates 300,3000,30000
    python -m benchmarks.speed.latency --data ../shared/data --systems default,native-default

Prints one JSON line for each number of templates, and a table on stderr. The templates are drawn
from CLINC150's training split, and beyond its 15,000 from BANKING77 and SNIPS; the queries are
from CLINC150's test split. Rounds are interleaved, so that a slow moment of the machine affects
all alike. Load time and peak memory are measured in fresh processes.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.systems.contract import DEFAULT_CACHE, System
from benchmarks.systems.registry import make_system, system_names
from benchmarks.timing import measure, processor
from pocketintent.cli.options.types import whole_numbers
from pocketintent.evaluation.intents.datasets import draw_templates, load_intent_data
from pocketintent.runtime.errors import PocketIntentError

DEFAULT_SYSTEMS = ("default", "fast", "tiny", "model2vec", "minilm-int8", "tfidf")


def read_templates(data: Path, number: int) -> list[tuple[str, str]]:
    """Templates with their intents: equally many of each, as long as there are enough."""
    clinc = load_intent_data(data / "intents" / "clinc150")
    draw = draw_templates(clinc.train_labels, -(-number // clinc.num_trained), run=0)
    labelled = zip(draw.indices, draw.labels, strict=True)
    pairs = [(clinc.train_texts[index], clinc.intents[label]) for index, label in labelled]
    for name in ("banking77", "snips"):
        if len(pairs) >= number:
            break
        more = load_intent_data(data / "intents" / name)
        labels = (f"{name}/{more.intents[label]}" for label in more.train_labels)
        pairs += zip(more.train_texts, labels, strict=True)
    if len(pairs) < number:
        raise PocketIntentError(
            f"{number} templates are asked for; the data sets have {len(pairs)}"
        )
    return pairs[:number]


def start_cold(name: str, pairs: Sequence[tuple[str, str]], args: argparse.Namespace) -> Any:
    """Times and memory of a fresh process that loads and teaches a system."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "templates.json"
        path.write_text(json.dumps(pairs), encoding="utf-8")
        command = [sys.executable, "-m", "benchmarks.speed.cold_start", name]
        command += ["--templates", str(path), "--cache", str(args.cache)]
        if args.model is not None:
            command += ["--model", str(args.model)]
        return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def compare(number: int, args: argparse.Namespace) -> dict[str, Any]:
    """Latency, start and size of each system with a number of templates."""
    pairs = read_templates(args.data, number)
    texts, intents = [text for text, _ in pairs], [intent for _, intent in pairs]
    test = load_intent_data(args.data / "intents" / "clinc150")
    order = np.random.default_rng(0).permutation(len(test.query_texts))[: args.queries]
    queries = [test.query_texts[position] for position in order]
    gold = [test.intents[test.query_labels[position]] for position in order]
    systems: dict[str, System] = {}
    cold: dict[str, Any] = {}
    for name in args.systems:
        print(f"{number} templates: {name}", file=sys.stderr, flush=True)
        systems[name] = make_system(name, args.model)
        systems[name].build(args.cache, texts, intents)
        cold[name] = start_cold(name, pairs, args)
        systems[name].load(args.cache)
        systems[name].teach(texts, intents)
    matches = {name: system.match for name, system in systems.items()}
    times = measure(matches, queries, args.rounds, warm_up=queries[:50])
    first = float(np.median(times[args.systems[0]]))
    rows = {}
    for name, system in systems.items():
        median = float(np.median(times[name]))
        right = [system.match(query) == intent for query, intent in zip(queries, gold, strict=True)]
        rows[name] = {
            "median_us": median,
            "p99_us": float(np.percentile(times[name], 99)),
            "times_first": median / first,
            "accuracy": float(np.mean(right)),
            **cold[name],
            "size_mb": system.size(args.cache) / 1e6,
        }
    return {
        "templates": number,
        "intents": len(set(intents)),
        "queries": len(queries),
        "threads": 1,
        "machine": processor(),
        "python": platform.python_version(),
        "systems": rows,
    }


def print_table(report: dict[str, Any]) -> None:
    """The report for people, on stderr."""
    head = (
        "median us",
        "p99 us",
        "x first",
        "accuracy",
        "load ms",
        "teach ms",
        "peak MB",
        "size MB",
    )
    keys = ("median_us", "p99_us", "times_first", "accuracy", "load_ms", "teach_ms", "peak_mb")
    print(f"\n{report['templates']} templates, {report['machine']}", file=sys.stderr)
    print(f"{'':20}" + "".join(f"{title:>11}" for title in head), file=sys.stderr)
    for name, row in report["systems"].items():
        values = [row[key] for key in (*keys, "size_mb")]
        cells = ["-" if v is None else f"{v:.3g}" if v < 10 else f"{v:.0f}" for v in values]
        print(f"{name:20}" + "".join(f"{cell:>11}" for cell in cells), file=sys.stderr)


def main() -> None:
    """Compare the systems with each number of templates."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", type=Path, required=True, metavar="DIR", help="has intents/clinc150 and so on"
    )
    parser.add_argument("--model", type=Path, metavar="FILE", help="of the systems pocketintent…")
    parser.add_argument(
        "--templates",
        type=whole_numbers(1),
        default="3000",
        metavar="N,…",
        help="default: %(default)s",
    )
    parser.add_argument("--queries", type=int, default=3000, metavar="N", help="%(default)s")
    parser.add_argument("--rounds", type=int, default=20, metavar="N", help="%(default)s")
    parser.add_argument(
        "--systems",
        default=",".join(DEFAULT_SYSTEMS),
        metavar="NAME,…",
        help=f"of {', '.join(system_names())} (%(default)s)",
    )
    parser.add_argument(
        "--cache", type=Path, default=DEFAULT_CACHE, metavar="DIR", help="default: %(default)s"
    )
    args = parser.parse_args()
    args.systems = args.systems.split(",")
    args.cache.mkdir(parents=True, exist_ok=True)
    try:
        for number in args.templates:
            report = compare(number, args)
            print(json.dumps(report), flush=True)
            print_table(report)
    except PocketIntentError as error:
        sys.exit(f"latency: {error}")


if __name__ == "__main__":
    main()
