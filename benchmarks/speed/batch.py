r"""Time `match` and `match_batch` on the same texts, side by side on one thread.

    python -m benchmarks.speed.batch --intents ../shared/data/intents/clinc150

Templates are the first 20 training utterances of as many intents as are needed, texts are drawn
from the other utterances. One JSON line for each number of templates: processor time of both in
microseconds a text, the best of several rounds, and their ratio.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.timing import processor
from pocketintent import IntentRecognizer

TEMPLATES_PER_INTENT = 20


def main() -> None:
    """Time both calls at each number of templates."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--intents", type=Path, required=True, help="folder with train.jsonl")
    parser.add_argument("--model", default=None, help="model file or name of a shipped model")
    parser.add_argument("--templates", type=int, nargs="+", default=[300, 3_000])
    parser.add_argument("--texts", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    lines = (args.intents / "train.jsonl").read_text("utf-8").splitlines()
    utterances = [(row["intent"], row["text"]) for row in map(json.loads, lines)]
    for number in args.templates:
        templates, texts = split(utterances, number, args.texts)
        recognizer = IntentRecognizer.load(templates, args.model)
        single, batch = compare(recognizer, texts, args.rounds)
        line = {
            "templates": sum(map(len, templates.values())),
            "texts": len(texts),
            "match_us": round(single, 1),
            "match_batch_us": round(batch, 1),
            "ratio": round(single / batch, 1),
            "processor": processor(),
        }
        print(json.dumps(line), flush=True)


def split(
    utterances: Sequence[tuple[str, str]], num_templates: int, num_texts: int
) -> tuple[dict[str, list[str]], list[str]]:
    """Templates, 20 for each of the first intents, and the texts to match."""
    templates: dict[str, list[str]] = {}
    others = []
    for intent, text in utterances:
        if intent not in templates and len(templates) * TEMPLATES_PER_INTENT < num_templates:
            templates[intent] = []
        if intent in templates and len(templates[intent]) < TEMPLATES_PER_INTENT:
            templates[intent].append(text)
        else:
            others.append(text)
    random.Random(0).shuffle(others)
    return templates, others[:num_texts]


def compare(recognizer: IntentRecognizer, texts: Sequence[str], rounds: int) -> tuple[float, float]:
    """Microseconds a text of `match` and of `match_batch`, taking turns; the best round of each."""
    single = batch = float("inf")
    for _ in range(rounds):
        single = min(single, _seconds(lambda: [recognizer.match(text) for text in texts]))
        batch = min(batch, _seconds(lambda: recognizer.match_batch(texts)))
    return single / len(texts) * 1e6, batch / len(texts) * 1e6


def _seconds(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


if __name__ == "__main__":
    main()
