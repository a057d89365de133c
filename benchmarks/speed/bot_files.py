"""Bot files: the time to open one, and the accuracy that fewer words cost.

    python -m benchmarks.speed.bot_files ../shared/data/intents/clinc150 --model tiny
    python -m benchmarks.speed.bot_files ../shared/data/intents/snips --max-words 2000,5000 --runs 5

Builds bot files of draws of templates, as `pocketintent build --max-words` does. Prints a JSON
line for each number of words, from all to the fewest: the accuracy on the split without any
threshold, the size of the file, and the milliseconds of processor time to open it, the median of
the openings of all draws.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from pocketintent.bot.build import keep_for_bot
from pocketintent.compression.kinds import words_of
from pocketintent.evaluation.intents.datasets import IntentData, draw_templates, load_intent_data
from pocketintent.recognizer import IntentRecognizer
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.templates.template_set import IntentTemplates, TemplateSet

OPENINGS = 15
"""Openings of each file that are timed."""


def main() -> None:
    """Measure bot files of a data set."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, help="folder with train.jsonl and the split")
    parser.add_argument("--model", default="default", help="the model (%(default)s)")
    parser.add_argument("--split", choices=("valid", "test"), default="valid")
    parser.add_argument("--shots", type=int, default=10, help="templates of each intent")
    parser.add_argument("--runs", type=int, default=3, help="draws of the templates")
    parser.add_argument(
        "--max-words",
        type=lambda text: [int(part) for part in text.split(",")],
        default=[10_000, 5_000, 2_000],
        metavar="N,…",
        help="numbers of words, besides all (10000,5000,2000)",
    )
    args = parser.parse_args()
    data, encoder = load_intent_data(args.data, args.split), load_encoder(args.model)
    for max_words in (None, *args.max_words):
        rows = [
            measure(encoder, data, draw_set(data, args.shots, run), max_words)
            for run in range(args.runs)
        ]
        line: dict[str, Any] = {"data": data.name, "split": data.split, "shots": args.shots}
        line |= {"model": args.model, "runs": args.runs, "max_words": max_words}
        means = {key: float(np.mean([row[key] for row in rows])) for key in rows[0]}
        line |= {"accuracy": round(means["accuracy"], 4), "words": round(means["words"])}
        line |= {"bytes": round(means["bytes"]), "open_ms": round(means["open_ms"], 1)}
        print(json.dumps(line), flush=True)


def draw_set(data: IntentData, shots: int, run: int) -> TemplateSet:
    """The templates of a run.

    Args:
        data: The data set.
        shots: Templates of each intent.
        run: Number of the run.
    """
    draw = draw_templates(data.train_labels, shots, run)
    intents: dict[str, IntentTemplates] = {}
    for index, label in zip(draw.indices.tolist(), draw.labels.tolist(), strict=True):
        entry = intents.setdefault(data.intents[label], IntentTemplates([]))
        entry.templates.append(data.train_texts[index])
    return TemplateSet(intents)


def measure(
    encoder: ModelEncoder, data: IntentData, templates: TemplateSet, max_words: int | None
) -> dict[str, float]:
    """Build a bot file and open it.

    Args:
        encoder: The model.
        data: The texts to recognise, with their intents.
        templates: The templates.
        max_words: Number of words to keep; None for all.

    Returns:
        ``accuracy``, ``words``, ``bytes`` and ``open_ms``.
    """
    small = encoder if max_words is None else keep_for_bot(encoder, templates, max_words)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bot.safetensors"
        IntentRecognizer(small, templates).save(path)
        times = []
        for _ in range(OPENINGS):
            started = time.process_time()
            recognizer = IntentRecognizer.load(path)
            times.append(time.process_time() - started)
        nearest = [match.nearest for match in recognizer.match_batch(data.query_texts)]
        size = path.stat().st_size
    truth = [data.intents[label] for label in data.query_labels.tolist()]
    return {
        "accuracy": float(
            np.mean([name == right for name, right in zip(nearest, truth, strict=True)])
        ),
        "words": len(words_of(small).vocabulary),
        "bytes": size,
        "open_ms": 1e3 * statistics.median(times),
    }


if __name__ == "__main__":
    main()
