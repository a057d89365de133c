"""``pocketintent build``: a model, templates and all that is fitted on them in one file."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from pocketintent.cli.options.correction import add_correction_option
from pocketintent.cli.options.decision import add_decision_option
from pocketintent.cli.options.files import file_name, output_file
from pocketintent.cli.options.model import add_model_option
from pocketintent.cli.options.numbers import whole_number
from pocketintent.cli.output import print_json
from pocketintent.runtime.decision.indexing import Search
from pocketintent.runtime.encoders.contract import Encoder, ModelEncoder
from pocketintent.runtime.errors import PocketIntentError

if TYPE_CHECKING:
    from pocketintent.runtime.recognizer import IntentRecognizer

EPILOG = """\
examples:
  pocketintent build my_bot.json --out my_bot.safetensors
  pocketintent build my_bot.json --model tiny --max-words 5000 --out my_bot.safetensors
  pocketintent build my_bot.safetensors --max-words 2000 --out smaller.safetensors
  pocketintent match --templates my_bot.safetensors "where is my order"

A bot file opens in milliseconds, since nothing is encoded or fitted again. It is taken wherever
templates or a model are: by IntentRecognizer.load, match, templates, evaluate, export and the demo.
docs/model-file.md describes the format.

the report, a JSON line on stdout:
  out        the file
  decision   how an intent is scored
  search     how the templates are kept
  intents    number of intents
  templates  number of templates
  unknown    number of templates in which the model knows no word; they are never matched
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
    parser.add_argument(
        "templates",
        type=file_name,
        metavar="FILE",
        help="template file (JSON), the name of a shipped set, or a bot file, which has its model",
    )
    add_model_option(parser)
    parser.add_argument(
        "--out",
        type=output_file,
        required=True,
        metavar="OUT",
        help="bot file to write; its name ends in .safetensors",
    )
    add_decision_option(parser, "a bot file")
    add_correction_option(parser, "a bot file")
    parser.add_argument(
        "--search",
        choices=get_args(Search),
        help="keep the templates as codes, or as vectors (table, or the search of a bot file)",
    )
    parser.add_argument(
        "--max-words",
        type=whole_number(1),
        metavar="N",
        help="keep the N most frequent words of the model and every word of the bot's texts (all)",
    )


def run(args: argparse.Namespace) -> int:
    """Build a bot file and print the report."""
    from pocketintent.compression.report import bot_size_report
    from pocketintent.runtime.bot_file import SUFFIX
    from pocketintent.runtime.recognizer import IntentRecognizer

    out: Path = args.out
    if not str(out).lower().endswith(SUFFIX):
        raise PocketIntentError(f"--out {out}: the name of a bot file ends in {SUFFIX}")
    started = time.monotonic()
    recognizer = whole = IntentRecognizer.load(
        args.templates,
        args.model,
        decision=args.decision,
        search=args.search,
        correct=args.correct,
    )
    if args.max_words is not None:
        recognizer = _prune(whole, args.max_words)
    recognizer.save(out)
    intents = recognizer.templates.intents
    num_templates = sum(len(intent.templates) for intent in intents.values())
    report = {
        "out": str(out),
        "decision": recognizer.decision,
        "search": recognizer.search,
        "intents": len(intents),
        "templates": num_templates,
        "unknown": num_templates - len(recognizer.indexed.texts),
        "words": _count_words(whole.encoder, recognizer.encoder),
        "bytes": bot_size_report(out),
        "seconds": round(time.monotonic() - started, 2),
    }
    print_json(report)
    return 0


def _prune(recognizer: IntentRecognizer, max_words: int) -> IntentRecognizer:
    """The recogniser of a model with fewer words; the same recogniser if it has no more."""
    from pocketintent.compression.prune import keep_for_bot

    assert isinstance(recognizer.encoder, ModelEncoder)
    templates = recognizer.templates
    try:
        encoder = keep_for_bot(recognizer.encoder, templates, max_words)
    except PocketIntentError as error:
        raise PocketIntentError(f"--max-words: {error}") from error
    if encoder is recognizer.encoder:
        return recognizer
    return type(recognizer)(
        encoder,
        templates,
        decision=recognizer.decision,
        search=recognizer.search,
        correct=recognizer.correct,
    )


def _count_words(before: Encoder, after: Encoder) -> dict[str, int] | None:
    """The words of a model, before and after pruning; None for a model without a table."""
    tables = [
        encoder.word_table for encoder in (before, after) if isinstance(encoder, ModelEncoder)
    ]
    sizes = [len(table.vocabulary) for table in tables if table is not None]
    return dict(zip(("before", "after"), sizes, strict=True)) if sizes else None
