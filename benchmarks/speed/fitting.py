r"""Time the fit of the decision `logistic` and its edits, and compare them with each other.

    python -m benchmarks.speed.fitting --intents ../shared/data/intents/clinc150

Templates are the first training utterances of the first intents. One JSON line for each size:
processor time in milliseconds, the least of several rounds, of the fit with its calibration
(without encoding), of `remove_intent` and of `add_intent` (all that they do), and the largest
difference of a score on the test utterances between the edited recogniser and a new one.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.timing import processor
from pocketintent import IntentRecognizer
from pocketintent.runtime.decision.registry import make_scorer
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.index.building import index_templates
from pocketintent.runtime.templates.template_set import parse_templates

SIZES = ("6x6", "20x15", "150x20")


def main() -> None:
    """Time each size."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--intents", type=Path, required=True, help="folder of a data set")
    parser.add_argument("--model", default=None, help="model file or name of a shipped model")
    parser.add_argument("--sizes", nargs="+", default=SIZES, metavar="INTENTSxTEMPLATES")
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    train, test = (_read(args.intents / f"{name}.jsonl") for name in ("train", "test"))
    queries = [text for texts in test.values() for text in texts]
    encoder = load_encoder(args.model)
    for size in args.sizes:
        num_intents, num_templates = map(int, size.split("x"))
        templates = {name: train[name][:num_templates] for name in sorted(train)[:num_intents]}
        parsed = parse_templates(templates)
        indexed = index_templates(encoder, parsed, "table")
        fit_ms = least(partial(make_scorer, "logistic", encoder, parsed, indexed), args)
        recognizer = IntentRecognizer(encoder, parsed)
        name, texts = next(reversed(templates.items()))
        remove_ms, add_ms = [], []
        for _ in range(args.rounds):
            remove_ms.append(timed(partial(recognizer.remove_intent, name)))
            add_ms.append(timed(partial(recognizer.add_intent, name, texts)))
        line = {
            "intents": len(templates),
            "templates": sum(map(len, templates.values())),
            "fit_ms": round(fit_ms, 1),
            "remove_ms": round(min(remove_ms), 1),
            "add_ms": round(min(add_ms), 1),
            "largest_difference": round(difference(recognizer, queries), 5),
            "processor": processor(),
        }
        print(json.dumps(line), flush=True)


def difference(recognizer: IntentRecognizer, queries: list[str]) -> float:
    """The largest difference of a score from that of a recogniser fitted from scratch."""
    scratch = IntentRecognizer(recognizer.encoder, recognizer.templates)
    number = len(recognizer.intents)
    largest = 0.0
    for query in queries[:1000]:
        one, other = (
            {candidate.intent: candidate.score for candidate in r.rank(query, number)}
            for r in (recognizer, scratch)
        )
        largest = max(largest, *(abs(one[name] - other[name]) for name in one), 0.0)
    return largest


def least(call: Callable[[], object], args: argparse.Namespace) -> float:
    """The least processor time of a call over the rounds, in milliseconds."""
    return min(timed(call) for _ in range(args.rounds))


def timed(call: Callable[[], object]) -> float:
    """The processor time of a call, in milliseconds."""
    started = time.process_time_ns()
    call()
    return (time.process_time_ns() - started) / 1e6


def _read(path: Path) -> dict[str, list[str]]:
    texts: dict[str, list[str]] = {}
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        texts.setdefault(str(row["intent"]), []).append(row["text"])
    return texts


if __name__ == "__main__":
    main()
