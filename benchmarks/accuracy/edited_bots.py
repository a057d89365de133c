r"""Compare bots that were edited one step after another with bots fitted from scratch.

    python -m benchmarks.accuracy.edited_bots
    python -m benchmarks.accuracy.edited_bots --models default --edits 4

The bots are those of tests/resources/small_bots, the texts their phrasings and foreign texts. Each
edit removes an intent, gives it back without one of its templates, or gives that template back. One
JSON line for each model: the largest difference of a score after any edit, the answers compared,
and those that differ.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

from pocketintent import IntentRecognizer, load_encoder
from pocketintent.evaluation.bots.answers import read_bots

BOTS = Path(__file__).resolve().parents[2] / "tests" / "resources" / "small_bots"


def main(argv: list[str] | None = None) -> None:
    """Compare with each model."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--models", nargs="+", default=["tiny", "fast", "default"])
    parser.add_argument("--edits", type=int, default=12, help="edits of each bot")
    args = parser.parse_args(argv)
    for model in args.models:
        encoder = load_encoder(model)
        largest, compared, other = 0.0, 0, 0
        for bot, templates in read_bots(BOTS):
            texts = bot.queries()
            recognizer = IntentRecognizer(encoder, templates)
            for _ in edit(recognizer, args.edits):
                scratch = IntentRecognizer(encoder, recognizer.templates)
                for text in texts:
                    largest = max(largest, _difference(recognizer, scratch, text))
                    other += recognizer.match(text).intent != scratch.match(text).intent
                compared += len(texts)
        line = {"model": model, "largest": round(largest, 4), "answers": compared, "other": other}
        print(json.dumps(line), flush=True)


def edit(recognizer: IntentRecognizer, number: int) -> Iterator[int]:
    """Edit a bot, one step for each item."""
    intents = recognizer.templates.intents
    names = list(intents)
    for step in range(number):
        name = names[step // 3 % len(names)]
        first, *others = intents[name].templates
        if step % 3 == 0:
            recognizer.remove_intent(name)
        else:
            texts = others if step % 3 == 1 else [first]
            recognizer.add_intent(name, texts, counter_examples=[])
        yield step


def _difference(one: IntentRecognizer, other: IntentRecognizer, text: str) -> float:
    """The largest difference of an intent's score."""
    scores, expected = (
        {candidate.intent: candidate.score for candidate in r.rank(text, len(r.intents))}
        for r in (one, other)
    )
    return max((abs(scores[name] - expected[name]) for name in scores), default=0.0)


if __name__ == "__main__":
    main()
