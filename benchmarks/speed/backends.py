"""Compare the backends: one query at a time, from text to intent, on one thread.

    python -m benchmarks.speed.backends --data ../shared/data --folder exports
    python -m benchmarks.speed.backends --data ../shared/data --folder exports --templates 100
    python -m benchmarks.speed.backends --data ../shared/data --model tiny --errors 0,2

``numpy``, ``onnxruntime`` and ``tflite`` are ``IntentRecognizer.load(…, backend=…)``: the backend
computes the sentence vector, NumPy searches. ``onnx-…`` and ``tflite-…`` are the exported
recogniser graph alone, as an app in another language runs it, with both scorings of the export.
Templates and queries are the same as in ``latency.py``; ``--errors`` misspells the queries. Each
query is timed once, so that most misspelt words are new. Rounds are interleaved, so that a slow
moment of the machine affects all alike. Load time and peak memory are measured in fresh processes,
beyond ``import numpy``; the median of several. Prints one JSON line for each number of templates
and of errors, and a Markdown table on stderr.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.speed.latency import read_templates
from benchmarks.speed.ways import GRAPHS, WAYS, Way, make_way
from benchmarks.timing import CLOCKS, measure, processor
from pocketintent.cli.options.types import whole_numbers
from pocketintent.evaluation.intents.datasets import load_intent_data
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.shipped_models import find_model
from pocketintent.training.corpora.typing_errors import add_typing_errors

REFERENCE = "numpy"


def prepare(number: int, args: argparse.Namespace) -> tuple[Path, Path]:
    """Export a number of templates, unless the folder has the exports.

    Returns:
        The folder of the exports, and the template file in it.
    """
    from pocketintent_export import export_folder

    folder = args.folder / str(number)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "templates.json"
    templates: dict[str, list[str]] = {}
    for text, intent in read_templates(args.data, number):
        templates.setdefault(intent, []).append(text)
    content = json.dumps(templates)
    if path.exists() and path.read_text(encoding="utf-8") != content:
        raise PocketIntentError(f"{path} has other templates; remove {folder} and run this again")
    path.write_text(content, encoding="utf-8")
    for name in GRAPHS:
        if not (folder / name).exists():
            print(f"{number} templates: exporting {name}", file=sys.stderr, flush=True)
            file_format, scoring = name.split("-")
            export_folder(
                folder / name,
                path,
                args.model,
                file_format=file_format,  # type: ignore[arg-type]
                scoring=scoring,  # type: ignore[arg-type]
            )
    return folder, path


def start_cold(way: str, folder: Path, templates: Path, args: argparse.Namespace) -> dict[str, Any]:
    """Load one way in fresh processes; the median of each figure."""
    command = [sys.executable, "-m", "benchmarks.speed.backend_start", way, "--folder", str(folder)]
    command += ["--templates", str(templates)]
    if args.model is not None:
        command += ["--model", str(args.model)]
    runs = [
        json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
        for _ in range(args.starts)
    ]
    return {key: float(np.median([run[key] for run in runs])) for key in runs[0]}


def sizes(folder: Path, model: Path) -> dict[str, Any]:
    """Bytes of the model file and of each export's artifacts."""
    exports = {}
    for name in GRAPHS:
        file_format = name.partition("-")[0]
        files = {path.name: path.stat().st_size for path in (folder / name).iterdir()}
        exports[name] = {
            "encoder": files[f"encoder.{file_format}"],
            "encoder_to_model": files[f"encoder.{file_format}"] / model.stat().st_size,
            "characters": files.get(f"characters.{file_format}", 0),
            "recognizer": files[f"recognizer.{file_format}"],
            "folder": sum(files.values()),
        }
    return {"model": model.stat().st_size, "exports": exports}


def compare(number: int, args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Latency, start, memory and sizes with a number of templates, for each number of errors."""
    folder, templates = prepare(number, args)
    test = load_intent_data(args.data / "intents" / "clinc150")
    order = np.random.default_rng(0).permutation(len(test.query_texts))[: args.queries]
    clean = [test.query_texts[position] for position in order]
    cold = {}
    for name in WAYS:
        print(f"{number} templates: starting {name}", file=sys.stderr, flush=True)
        cold[name] = start_cold(name, folder, templates, args)
    ways = {name: make_way(name, folder, templates, args.model) for name in WAYS}
    for errors in args.errors:
        rng = np.random.default_rng(errors)
        queries = [add_typing_errors(query, errors, rng) for query in clean]
        yield {
            "templates": number,
            "errors": errors,
            "queries": len(queries),
            "threads": 1,
            "machine": processor(),
            "clock": args.clock,
            "ways": run_ways(ways, queries, cold, args),
            "bytes": sizes(folder, find_model(args.model)),
        }


def run_ways(
    ways: Mapping[str, Way],
    queries: Sequence[str],
    cold: Mapping[str, dict[str, Any]],
    args: argparse.Namespace,
) -> dict[str, dict[str, Any]]:
    """The latency of each way on the queries, with its time and memory to start."""
    matches = {name: way.match for name, way in ways.items()}
    times = measure(matches, queries, args.rounds, warm_up=queries[:50], clock=args.clock)
    expected = [ways[REFERENCE].match(query) for query in queries]
    return {
        name: {
            "median_us": float(np.median(times[name])),
            "p99_us": float(np.percentile(times[name], 99)),
            "times_numpy": float(np.median(times[name]) / np.median(times[REFERENCE])),
            **cold[name],
            "same_intent": _share_of_equal([way.match(query) for query in queries], expected),
        }
        for name, way in ways.items()
    }


def _share_of_equal(intents: Sequence[str], expected: Sequence[str]) -> float:
    return float(np.mean([a == b for a, b in zip(intents, expected, strict=True)]))


def print_tables(report: dict[str, Any]) -> None:
    """The report as two Markdown tables, on stderr."""
    lines = [
        f"\n{report['templates']} templates, {report['errors']} typing errors in a query, "
        f"{report['machine']}\n",
        "| | median µs | p99 µs | × numpy | load ms | peak MB | same intent |",
        "| --- | --: | --: | --: | --: | --: | --: |",
    ]
    for name, row in report["ways"].items():
        figures = (row["median_us"], row["p99_us"], row["times_numpy"])
        cells = [f"{value:.3g}" if value < 10 else f"{value:.0f}" for value in figures]
        cells += [f"{row['load_ms']:.0f}", f"{row['peak_mb']:.1f}", f"{row['same_intent']:.2%}"]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    lines += [
        f"\nModel file: {report['bytes']['model']:,} bytes\n",
        "| | encoder | ÷ model | characters | recognizer | folder |",
        "| --- | --: | --: | --: | --: | --: |",
    ]
    for name, row in report["bytes"]["exports"].items():
        cells = [f"{row['encoder']:,}", f"{row['encoder_to_model']:.3f}"]
        cells += [f"{row[key]:,}" for key in ("characters", "recognizer", "folder")]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    print("\n".join(lines), file=sys.stderr)


def main() -> None:
    """Compare the backends with each number of templates."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", type=Path, required=True, metavar="DIR", help="has intents/clinc150 and so on"
    )
    parser.add_argument(
        "--model", type=Path, metavar="MODEL", help="a model file, or a shipped model (default)"
    )
    parser.add_argument(
        "--templates",
        type=whole_numbers(1),
        default="100,3000,30000",
        metavar="N,…",
        help="default: %(default)s",
    )
    parser.add_argument(
        "--errors",
        type=whole_numbers(0),
        default="0",
        metavar="N,…",
        help="typing errors in a query (%(default)s)",
    )
    parser.add_argument("--queries", type=int, default=3000, metavar="N", help="%(default)s")
    parser.add_argument("--rounds", type=int, default=20, metavar="N", help="%(default)s")
    parser.add_argument(
        "--clock",
        choices=tuple(CLOCKS),
        default="wall",
        help="cpu on a machine that others use (%(default)s)",
    )
    parser.add_argument("--starts", type=int, default=3, metavar="N", help="%(default)s")
    parser.add_argument(
        "--folder", type=Path, metavar="DIR", help="keeps the exports (a temporary folder)"
    )
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        args.folder = args.folder or Path(temporary)
        try:
            for number in args.templates:
                for report in compare(number, args):
                    print(json.dumps(report), flush=True)
                    print_tables(report)
        except PocketIntentError as error:
            sys.exit(f"backends: {error}")


if __name__ == "__main__":
    main()
