"""The accuracy that quantised templates cost: table search compared with exact search.

    python -m benchmarks.accuracy.template_codes $DATA/intents/clinc150
    python -m benchmarks.accuracy.template_codes $DATA/intents/clinc150 --split test --shots 20

Prints one JSON line for each decision: the accuracy of both searches, and the share of texts for
which they name different intents, over several draws of the templates.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from pocketintent.recognizer import IntentRecognizer
from pocketintent.runtime.decision.registry import DECISIONS
from pocketintent.runtime.encoders.registry import load_encoder


def main() -> None:
    """Match the texts of a split in both ways."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, help="folder with train.jsonl and the split")
    parser.add_argument("--split", default="valid")
    parser.add_argument("--shots", type=int, default=20, help="templates of each intent")
    parser.add_argument("--runs", type=int, default=3, help="draws of the templates")
    parser.add_argument("--model", type=Path)
    args = parser.parse_args()
    encoder = load_encoder(args.model)
    train, rows = _read(args.data / "train.jsonl"), _read(args.data / f"{args.split}.jsonl")
    texts, truth = [row["text"] for row in rows], np.array([row["intent"] for row in rows])
    by_intent = defaultdict(list)
    for row in train:
        by_intent[row["intent"]].append(row["text"])
    for decision in DECISIONS:
        results = []
        for run in range(args.runs):
            rng = np.random.default_rng(run)
            templates = {
                name: [utterances[i] for i in rng.permutation(len(utterances))[: args.shots]]
                for name, utterances in sorted(by_intent.items())
            }
            intents = {}
            for search in ("exact", "table"):
                started = time.perf_counter()
                recognizer = IntentRecognizer(encoder, templates, decision=decision, search=search)
                loaded = time.perf_counter() - started
                intents[search] = np.array([m.nearest for m in recognizer.match_batch(texts)])
            accuracy = [float((intents[search] == truth).mean()) for search in ("exact", "table")]
            differ = float((intents["exact"] != intents["table"]).mean())
            results.append([*accuracy, differ, loaded])
        exact, table, differ, loaded = np.mean(results, axis=0)
        line = {"data": args.data.name, "split": args.split, "shots": args.shots}
        line |= {"decision": decision, "exact": round(exact, 4), "table": round(table, 4)}
        line |= {"differ": round(differ, 4), "seconds_to_index": round(loaded, 2)}
        print(json.dumps(line), flush=True)


def _read(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


if __name__ == "__main__":
    main()
