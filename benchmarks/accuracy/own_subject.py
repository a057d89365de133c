r"""Measure what a bot does with texts on its own subject that no intent serves.

    python -m benchmarks.accuracy.own_subject --data DATA

A random quarter of the intents of a data set is held out. The bot has templates of the others; the
utterances of the held-out intents are the texts that it should refuse. One JSON line for each data
set, model and number of templates: means and deviations over the draws, at the threshold of 0.5,
and the expected calibration errors, `ece_third` with a third of all texts outside.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from pocketintent import IntentRecognizer, load_encoder
from pocketintent.evaluation.intents.scored_texts import ScoredTexts
from pocketintent.evaluation.metrics import mean_and_std
from pocketintent.evaluation.records import read_utterances
from pocketintent.runtime.encoders.contract import Encoder

HELD_OUT = 0.25
"""Share of the intents of a data set that the bot does not have."""

Texts = Mapping[str, Sequence[str]]
"""The utterances of each intent."""


def main() -> None:
    """Measure each data set, model and number of templates."""
    args = _parse()
    for name in args.sets:
        folder = args.data / "intents" / name
        train, queries = (_read(folder / f"{split}.jsonl") for split in ("train", args.split))
        for model in args.model:
            encoder = load_encoder(model)
            for shots in args.shots:
                rows = []
                for run in range(args.runs):
                    rng = np.random.default_rng([args.seed, run])
                    rows.append(measure(encoder, draw(train, shots, rng), queries))
                means = {key: mean_and_std([row[key] for row in rows]) for key in rows[0]}
                line = {"dataset": name, "split": args.split, "model": model, "shots": shots}
                print(json.dumps(line | {"runs": args.runs} | means), flush=True)


def draw(utterances: Texts, shots: int, rng: np.random.Generator) -> dict[str, list[str]]:
    """A bot of three quarters of the intents; one generator draws nested templates."""
    names = sorted(utterances)
    kept = rng.permutation(names)[round(HELD_OUT * len(names)) :]
    bot = {}
    for name in sorted(map(str, kept)):
        texts = sorted(set(utterances[name]))
        bot[name] = [texts[i] for i in rng.permutation(len(texts))[:shots]]
    return bot


def measure(encoder: Encoder, bot: Texts, queries: Texts) -> dict[str, float]:
    """The figures of one bot; queries of intents that it does not have are to be refused."""
    recognizer = IntentRecognizer(encoder, {name: list(texts) for name, texts in bot.items()})
    texts = [(name, text) for name, of_intent in queries.items() for text in of_intent]
    matches = recognizer.match_batch([text for _, text in texts])
    scores = np.array([match.score for match in matches], np.float32)
    right = np.array([m.nearest == name for m, (name, _) in zip(matches, texts, strict=True)])
    is_served = np.array([name in bot for name, _ in texts])
    return ScoredTexts(scores[is_served], right[is_served], scores[~is_served]).at(0.5)


def _read(path: Path) -> dict[str, list[str]]:
    texts = defaultdict(list)
    for utterance in read_utterances(path):
        texts[str(utterance.intent)].append(utterance.text)
    return dict(texts)


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with `intents`")
    parser.add_argument(
        "--sets", nargs="+", default=["banking77", "clinc150"], help="(banking77 clinc150)"
    )
    names = ["default", "fast", "tiny"]
    parser.add_argument("--model", nargs="+", default=names, help="(default fast tiny)")
    parser.add_argument("--shots", nargs="+", type=int, default=[5, 10, 30], help="(5 10 30)")
    parser.add_argument("--split", choices=("valid", "test"), default="test", help="(test)")
    parser.add_argument("--runs", type=int, default=10, help="draws (10)")
    parser.add_argument("--seed", type=int, default=0, help="(0)")
    return parser.parse_args()


if __name__ == "__main__":
    main()
