r"""Measure the calibration of small bots: what the threshold of 0.5 refuses and accepts.

    python -m benchmarks.accuracy.small_bots --data DATA

Bots of some of the intents of each data set, with a few templates each, are drawn from its
training utterances, either at random or varied: each next template is the utterance that is least
like the templates before it. The queries are the utterances of the bot's intents in the split, and
CLINC150's out-of-scope texts. One JSON line for each model, way to choose, and numbers of intents
and templates: the means over the bots of all sets, and the sigmoid that would fit the queries,
`fitted_threshold` (the logit whose probability is one half) and `fitted_slope`, whose means
`expected_sigmoid` describes.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from benchmarks.timing import processor
from pocketintent import IntentRecognizer, load_encoder
from pocketintent.evaluation.intents.scored_texts import ScoredTexts
from pocketintent.evaluation.metrics import mean_and_std
from pocketintent.evaluation.records import read_outside_texts, read_utterances
from pocketintent.runtime.decision.bot import build_bot
from pocketintent.runtime.decision.logistic.calibration import OUTSIDE_SHARE, fit_sigmoid
from pocketintent.runtime.decision.logistic.scorer import Calibration, LogisticScorer
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.templates.files import load_templates

SETS = ("clinc150", "banking77", "snips")
WAYS = ("random", "varied")
POOL = 60
"""Utterances of an intent from which the templates of a bot are chosen."""

Texts = Mapping[str, Sequence[str]]
"""The utterances of each intent."""


def main() -> None:
    """Measure each model, way, and size."""
    args = _parse()
    folder = args.data / "intents"
    outside = read_outside_texts(folder / "clinc150" / f"oos_{args.split}.jsonl")
    sets = [[_read(folder / name / f"{s}.jsonl") for s in ("train", args.split)] for name in SETS]
    for model in args.model:
        encoder = load_encoder(model)
        for way in WAYS:
            for num_intents, num_templates in args.sizes:
                rng = np.random.default_rng([args.seed, num_intents, num_templates])
                rows = [
                    measure(encoder, bot, queries, outside)
                    for _ in range(args.bots)
                    for train, split in sets
                    for bot in [draw(encoder, train, num_intents, num_templates, way, rng)]
                    for queries in [{name: split[name] for name in bot}]
                ]
                means = {key: mean_and_std([row[key] for row in rows]) for key in rows[0]}
                size = {"intents": num_intents, "templates": num_templates, "bots": len(rows)}
                line = {"model": model, "way": way, **size, "split": args.split, **means}
                print(json.dumps(line | {"processor": processor()}), flush=True)


def draw(
    encoder: Encoder,
    utterances: Texts,
    num_intents: int,
    num_templates: int,
    way: str,
    rng: np.random.Generator,
) -> dict[str, list[str]]:
    """The templates of a bot; all intents of a set that has fewer."""
    names = sorted(utterances)
    chosen = rng.choice(names, min(num_intents, len(names)), replace=False)
    bot = {}
    for name in sorted(map(str, chosen)):
        pool = sorted(set(utterances[name]))
        texts = [pool[i] for i in rng.choice(len(pool), min(POOL, len(pool)), replace=False)]
        order = _varied(encoder, texts) if way == "varied" else range(len(texts))
        bot[name] = [texts[i] for i in order[:num_templates]]
    return bot


def _varied(encoder: Encoder, texts: Sequence[str]) -> list[int]:
    """The texts, each as unlike those before it as possible, beginning with the first."""
    similarities = (vectors := encoder.encode_batch(texts)) @ vectors.T
    order, nearest = [0], similarities[0].copy()
    while len(order) < len(texts):
        nearest[order] = np.inf
        order.append(int(nearest.argmin()))
        nearest = np.minimum(nearest, similarities[order[-1]])
    return order


def measure(
    encoder: Encoder, bot: Texts, queries: Texts, outside: Sequence[str]
) -> dict[str, float]:
    """The figures of one bot at the threshold of 0.5, and the sigmoid that fits its queries."""
    recognizer = IntentRecognizer(encoder, {name: list(texts) for name, texts in bot.items()})
    gold = [name for name, texts in queries.items() for _ in texts]
    matches = recognizer.match_batch([text for texts in queries.values() for text in texts])
    right = np.array([m.nearest == name for m, name in zip(matches, gold, strict=True)])
    scores = np.array([match.score for match in matches], np.float32)
    far = np.array([match.score for match in recognizer.match_batch(outside)], np.float32)
    texts = ScoredTexts(scores, right, far)
    fitted = _fitted(texts, _calibration(encoder, bot))
    line = {"fitted_threshold": -fitted.intercept / fitted.slope, "fitted_slope": fitted.slope}
    return texts.at(0.5) | line


def _calibration(encoder: Encoder, bot: Texts) -> Calibration:
    templates = load_templates({name: list(texts) for name, texts in bot.items()})
    scorer = build_bot(encoder, templates, "logistic", "exact", True).scorer
    assert isinstance(scorer, LogisticScorer)
    return scorer.classifier.calibration


def _fitted(texts: ScoredTexts, calibration: Calibration) -> Calibration:
    """The sigmoid of the raw logits that fits the queries, where a third of texts is outside."""
    scores = np.concatenate([texts.scores, texts.outside]).astype(np.float64)
    scores = scores.clip(1e-6, 1 - 1e-6)
    logits = (np.log(scores / (1 - scores)) - calibration.intercept) / calibration.slope
    is_right = np.concatenate([texts.right, np.zeros(len(texts.outside), bool)])
    share = OUTSIDE_SHARE * len(texts.scores) / len(texts.outside)
    weights = np.repeat([1.0, share], [len(texts.scores), len(texts.outside)])
    return fit_sigmoid(logits, is_right.astype(np.float64), weights, calibration)


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
    parser.add_argument("--model", nargs="+", default=["default"])
    parser.add_argument("--split", choices=("valid", "test"), default="test")
    parser.add_argument("--bots", type=int, default=10, help="bots of each set and size (10)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--sizes",
        type=lambda text: tuple(map(int, text.split("x"))),
        nargs="+",
        default=[(1, 1), (2, 1), (6, 1), (6, 3), (6, 6), (6, 10), (20, 6)],
        metavar="INTENTSxTEMPLATES",
        help="numbers of intents and templates (1x1 2x1 6x1 6x3 6x6 6x10 20x6)",
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
