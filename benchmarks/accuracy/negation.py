r"""Count the negated commands that are taken for the command, with and without counter-examples.

    python -m benchmarks.accuracy.negation --resources tests/resources

`negated_commands.json` has ten commands for each shipped set, with the intent that they must not
get, and each command without its negation, `plain`; `negated_counter_examples.json` has
negations of the sets' intents, in other words, as counter-examples. One JSON line for each model
and decision: how many of the commands get the forbidden intent, another one, or none, and how many
of the plain ones are recognised. Fitted decisions are measured with the counter-examples too.

The other side: of the phrasings of `small_bots` that should get an intent, those that are negated
("i can't come in tomorrow"), and how many get it where no intent, the first one, or each has its
negated name ("don't renew loan") as a counter-example. One JSON line for each model.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.timing import processor
from pocketintent import IntentRecognizer, load_encoder
from pocketintent.evaluation.bots.answers import read_bots
from pocketintent.runtime.decision.registry import DECISIONS, Decision
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.files.shipped_models import bundled_models
from pocketintent.runtime.templates.files import load_templates
from pocketintent.runtime.templates.template_set import words_of_name
from pocketintent.runtime.text.languages import NEGATIONS, is_negated


def main() -> None:
    """Measure each model and decision."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--resources", type=Path, required=True, help="folder of the two files")
    parser.add_argument("--model", nargs="+", default=sorted(bundled_models()))
    args = parser.parse_args()
    commands, negations = (
        json.loads((args.resources / f"negated_{name}.json").read_bytes())
        for name in ("commands", "counter_examples")
    )
    for model in args.model:
        encoder = load_encoder(model)
        for decision in DECISIONS:
            for with_negations in (False, True) if decision == "logistic" else (False,):
                added: dict[str, Any] = negations if with_negations else {}
                counts = count(encoder, decision, commands, added)
                line = {"model": model, "decision": decision, "counter_examples": with_negations}
                print(json.dumps(line | counts | {"processor": processor()}), flush=True)
        phrasings = count_phrasings(encoder, args.resources / "small_bots")
        print(json.dumps({"model": model} | phrasings), flush=True)


def count_phrasings(encoder: Encoder, folder: Path) -> dict[str, int]:
    """The negated phrasings of a folder's bots, and how many get their intent in each case."""
    counts = Counter(negated_phrasings=0)
    for bot, templates in read_bots(folder):
        negated = {
            name: [text for text in intent.phrasings if is_negated(text, NEGATIONS["en"])]
            for name, intent in bot.intents.items()
        }
        counts["negated_phrasings"] += sum(map(len, negated.values()))
        names = list(templates.intents)
        for case, number in {"none": 0, "first": 1, "each": len(names)}.items():
            for name in names[:number]:
                templates.intents[name].counter_examples = [f"don't {words_of_name(name)}"]
            recognizer = IntentRecognizer(encoder, templates)
            counts[case] += sum(
                recognizer.match(text).intent == name
                for name, texts in negated.items()
                for text in texts
            )
    return dict(counts)


def count(
    encoder: Encoder, decision: Decision, commands: dict[str, Any], negations: dict[str, Any]
) -> dict[str, int]:
    """How many commands get the forbidden intent, another one, and none; and the plain ones."""
    counts = Counter({"forbidden": 0, "other": 0, "none": 0, "plain_recognised": 0})
    for name, labelled in commands.items():
        templates = load_templates(name)
        for intent_name, intent in templates.intents.items():
            intent.counter_examples = list(negations.get(name, {}).get(intent_name, ()))
        recognizer = IntentRecognizer(encoder, templates, decision=decision)
        for command in labelled:
            found = recognizer.match(command["text"]).intent
            kind = "none" if found is None else "other"
            counts["forbidden" if found == command["not"] else kind] += 1
            plain = recognizer.match(command["plain"]).intent
            counts["plain_recognised"] += plain == command["not"]
    return dict(counts)


if __name__ == "__main__":
    main()
