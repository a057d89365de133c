"""``pocketintent build``: a model, templates and all that is fitted on them in one file."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pocketintent.cli.options.model import check_model_name, encoder_path
from pocketintent.cli.options.numbers import whole_number
from pocketintent.cli.options.shared import LIMITS, RECOGNITION, add, refuse_options, set_limits
from pocketintent.cli.options.training import command_line
from pocketintent.cli.output import print_json, print_note
from pocketintent.cli.progress import Progress
from pocketintent.runtime.decision.registry import DEFAULT_DECISION
from pocketintent.runtime.encoders.contract import Encoder, ModelEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.templates.files import find_bot_file
from pocketintent.training.loop.devices import prepare_torch
from pocketintent.training.loop.run import RunOptions

if TYPE_CHECKING:
    from pocketintent.recognizer import IntentRecognizer

EPILOG = """\
examples:
  pocketintent build my_bot.json --out my_bot.safetensors
  pocketintent build my_bot.json --model tiny --max-words 5000 --out my_bot.safetensors
  pocketintent build my_bot.safetensors --max-words 2000 --out smaller.safetensors
  pocketintent build my_bot.json --teacher minilm/ --texts my_log.txt --out my_bot.safetensors
  pocketintent match --templates my_bot.safetensors "where is my order"

A bot file opens in milliseconds, and is taken wherever templates or a model are.

With --teacher, a sentence encoder in a local folder, such as MiniLM, first teaches the model how
the words of the bot's subject work together; it is not needed afterwards. A few hundred templates
gain up to two points of accuracy, lines of a log, which need no labels, more.

the report, a JSON line on stdout:
  out        the file
  decision   how an intent is scored
  search     how the templates are kept
  intents    number of intents
  templates  number of templates
  unknown    number of templates in which the model knows no word; they are never matched
  adapted    number of texts that --teacher has trained the model on; null without it
  words      words of the model, before and after --max-words; null for a model without words
  bytes      sizes: of the model's parts as in `pocketintent compress`, of the bot, of the file
  seconds    duration"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``build``."""
    parser.description = (
        "Put a model, templates and all that is fitted on them into one bot file. Prints a report "
        "as JSON."
    )
    parser.epilog = EPILOG
    parser.set_defaults(run=run)
    add(parser, "templates", "--model")
    add(parser, "--out", help="bot file to write; its name ends in .safetensors")
    add(parser, *RECOGNITION, *LIMITS, "--search")
    parser.add_argument(
        "--max-words",
        type=whole_number(1),
        help="keep the N most frequent words of the model and every word of the bot's texts (all)",
    )
    parser.add_argument(
        "--teacher",
        type=encoder_path,
        help="adapt the model to the bot's texts by this sentence encoder (docs/vectors.md)",
    )
    add(
        parser,
        "--texts",
        help="with --teacher: further texts of the bot's subject, one on each line, such as a log",
    )


def run(args: argparse.Namespace) -> int:
    """Build a bot file and print the report."""
    from pocketintent.bot.template_checks import check_templates
    from pocketintent.compression.report import bot_size_report

    out: Path = args.out
    check_model_name(args, "a bot file")
    if args.teacher is None:
        refuse_options(args, ("texts",), "requires --teacher")
    else:
        prepare_torch("cpu", threads=1)
    started = time.monotonic()
    recognizer, words = _build(args)
    set_limits(recognizer, args)
    recognizer.save(out)
    encoder, templates = recognizer.encoder, recognizer.templates
    adapted = None
    if args.teacher is not None:
        assert isinstance(encoder, ModelEncoder)
        adapted = int(encoder.manifest["training"]["texts"]["training"])
    for warning in check_templates(templates):
        print_note(f"{args.templates}: warning: {warning}")
    intents = templates.intents
    num_templates = sum(len(intent.templates) for intent in intents.values())
    report = {
        "out": str(out),
        "decision": recognizer.decision,
        "search": recognizer.search,
        "intents": len(intents),
        "templates": num_templates,
        "unknown": num_templates - len(recognizer.indexed.texts),
        "adapted": adapted,
        "words": words,
        "bytes": bot_size_report(out),
        "seconds": round(time.monotonic() - started, 2),
    }
    print_json(report)
    return 0


def _build(args: argparse.Namespace) -> tuple[IntentRecognizer, dict[str, int] | None]:
    """The recogniser to save, and the numbers of its model's words before and after."""
    from pocketintent.compression.prune import keep_for_bot
    from pocketintent.recognizer import IntentRecognizer

    of_bot_file = find_bot_file(args.templates) is not None
    changes = args.teacher is not None or args.max_words is not None
    before = IntentRecognizer.load(
        args.templates,
        args.model,
        # Nothing is fitted on a model before it changes.
        decision="nearest" if changes and not of_bot_file else args.decision,
        search=args.search,
        correct=args.correct,
    )
    encoder = before.encoder
    if args.teacher is not None:
        encoder = _adapt(before, args.teacher, args.texts)
    if args.max_words is not None:
        assert isinstance(encoder, ModelEncoder)
        try:
            encoder = keep_for_bot(encoder, before.templates, args.max_words)
        except PocketIntentError as error:
            raise PocketIntentError(f"--max-words: {error}") from error
    words = _count_words(before.encoder, encoder)
    decision = before.decision if of_bot_file else args.decision or DEFAULT_DECISION
    if encoder is before.encoder and decision == before.decision:
        return before, words
    recognizer = IntentRecognizer(
        encoder,
        before.templates,
        decision=decision,
        search=before.search,
        correct=before.correct,
    )
    return recognizer, words


def _adapt(recognizer: IntentRecognizer, teacher: Path, files: Sequence[Path]) -> Encoder:
    """The model of a recogniser, adapted to its texts and those of the files."""
    from pocketintent.training.contextual.adaptation import (
        adapt_encoder,
        adaptation_texts,
        check_adaptable,
    )
    from pocketintent.training.corpora.reader import read_texts
    from pocketintent.training.teachers.encode import encode_texts
    from pocketintent.training.teachers.loader import load_teacher

    texts = adaptation_texts([*recognizer.templates.all_texts(), *read_texts(files)])
    try:
        encoder = check_adaptable(recognizer.encoder)
        with Progress("texts") as progress:
            vectors = encode_texts(
                load_teacher(teacher), texts, progress=partial(progress.show, "teacher")
            )
        print_note(f"training on {len(texts)} texts")
        options = RunOptions(command=command_line(sys.argv[1:]))
        return adapt_encoder(encoder, vectors, options=options)
    except PocketIntentError as error:
        raise PocketIntentError(f"--teacher: {error}") from error


def _count_words(before: Encoder, after: Encoder) -> dict[str, int] | None:
    """The words of a model, before and after pruning; None for a model without a table."""
    from pocketintent.compression.kinds import compression_of

    tables = [
        compression_of(encoder.kind).words(encoder)
        for encoder in (before, after)
        if isinstance(encoder, ModelEncoder)
    ]
    sizes = [len(table.vocabulary) for table in tables if table is not None]
    return dict(zip(("before", "after"), sizes, strict=True)) if sizes else None
