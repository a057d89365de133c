r"""Count what bots written by hand answer at the default threshold, with models and a teacher.

    python -m benchmarks.accuracy.written_bots --model default tiny
    python -m benchmarks.accuracy.written_bots --teacher minilm/ --corpus chats.txt.gz
    python -m benchmarks.accuracy.written_bots --margin 0.1
    python -m benchmarks.accuracy.written_bots --templates 3 --no-names
    python -m benchmarks.accuracy.written_bots --teacher minilm/ --adapt

The bots are those of tests/resources/small_bots: six intents with six templates each, everyday
phrasings, and texts that are not for the bot. One JSON line for each encoder and group of bots:
the phrasings that got their intent, those that were refused, those that got another intent, and
those whose intent has the highest score, whatever the threshold; and the accepted foreign texts.
A teacher has the same classifier; like a model, it needs lines of a corpus as its background. With
``--adapt`` it teaches each model the texts of each bot, as by ``build --teacher``.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from pocketintent import IntentRecognizer, load_encoder
from pocketintent.bot.adapt import (
    adapt_encoder,
    adaptation_texts,
    check_adaptable,
)
from pocketintent.cli.options.model import encoder_name
from pocketintent.cli.options.shared import add
from pocketintent.cli.options.types import whole_number
from pocketintent.compression.background import make_background
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.templates.files import load_templates
from pocketintent.runtime.templates.template_set import TemplateSet
from pocketintent.training.corpora.reader import read_texts
from pocketintent.training.teachers.encode import encode_texts
from pocketintent.training.teachers.loader import load_teacher

FOLDER = Path(__file__).resolve().parents[2] / "tests" / "resources" / "small_bots"
GROUPS = {
    "seen": ("dentist", "gym", "library", "restaurant"),
    "unseen": ("hotel", "parcel", "pizza"),
    "later": ("airline", "bikeshop", "campus", "cardsupport", "coffee", "museum"),
}
"""The calibration was chosen with a look at the bots of the first group. Those of the last were
written after the intents' names had been learnt for the first time."""

KEYS = ("phrasings", "right", "refused", "other", "in_front", "foreign", "accepted")
"""What is counted."""


def main(argv: Sequence[str] | None = None) -> int:
    """Count the answers of each encoder and group."""
    args = _parse(argv)
    encoders: dict[str, Encoder] = {name: load_encoder(name) for name in args.model}
    teacher = load_teacher(args.teacher) if args.adapt else None
    if args.teacher is not None and not args.adapt:
        encoders[encoder_name(args.teacher)] = open_teacher(args.teacher, args.corpus)
    for name, encoder in encoders.items():
        for group, bots in GROUPS.items():
            counts = Counter[str]()
            for bot in bots:
                templates = load_templates(FOLDER / f"{bot}.json")
                templates.margin, templates.learn_names = args.margin, args.learn_names
                for intent in templates.intents.values():
                    intent.templates = intent.templates[: args.templates]
                own = encoder if teacher is None else adapt(encoder, templates, teacher)
                counts += count_answers(IntentRecognizer(own, templates), bot)
            line = {"encoder": name, "bots": group} | {key: counts[key] for key in KEYS}
            print(json.dumps(line), flush=True)
    return 0


def adapt(encoder: Encoder, templates: TemplateSet, teacher: Encoder) -> Encoder:
    """A model that a teacher has adapted to the texts of a bot."""
    texts = adaptation_texts(templates.all_texts())
    return adapt_encoder(check_adaptable(encoder), encode_texts(teacher, texts))


def open_teacher(path: Path, corpus: Sequence[Path]) -> Encoder:
    """A teacher with a background."""
    teacher = load_teacher(path)
    background = make_background(teacher, read_texts(corpus))
    teacher.background = background  # type: ignore[misc]
    return teacher


def count_answers(recognizer: IntentRecognizer, bot: str) -> Counter[str]:
    """What a recogniser answers to the utterances of a bot of ``FOLDER``, by ``KEYS``."""
    counts = Counter[str]()
    with (FOLDER / f"{bot}.csv").open(encoding="utf-8", newline="") as lines:
        utterances = list(csv.DictReader(lines))
    matches = recognizer.match_batch([utterance["text"] for utterance in utterances])
    for utterance, match in zip(utterances, matches, strict=True):
        intent = utterance["intent"]
        if not intent:
            counts["foreign"] += 1
            counts["accepted"] += match.intent is not None
            continue
        counts["phrasings"] += 1
        counts["in_front"] += match.nearest == intent
        answers = {intent: "right", None: "refused"}
        counts[answers.get(match.intent, "other")] += 1
    return counts


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--model", nargs="+", default=["default", "tiny"], help="files or shipped models"
    )
    parser.add_argument("--teacher", type=Path, metavar="FOLDER", help="a sentence encoder")
    parser.add_argument(
        "--corpus", type=Path, nargs="+", default=[], metavar="FILE", help="for its background"
    )
    parser.add_argument("--margin", type=float, default=0.0, metavar="X", help="%(default)s")
    parser.add_argument(
        "--templates",
        type=whole_number(1),
        metavar="N",
        help="the first N templates of each intent (all)",
    )
    parser.add_argument(
        "--adapt", action="store_true", help="adapt the models to each bot by the teacher"
    )
    add(parser, "--no-names")
    args = parser.parse_args(argv)
    if args.adapt and args.teacher is None:
        parser.error("--adapt requires --teacher")
    if args.teacher is not None and not args.adapt and not args.corpus:
        parser.error("--teacher requires --corpus or --adapt")
    return args


if __name__ == "__main__":
    raise SystemExit(main())
