"""Put a model, templates and all that is fitted on them into one bot file.

Prints a report as JSON.

Examples:
  pocketintent build my_bot.json --out my_bot.safetensors
  pocketintent build my_bot.json --model tiny --max-words 5000 --out my_bot.safetensors
  pocketintent build my_bot.safetensors --max-words 2000 --out smaller.safetensors
  pocketintent build my_bot.json --teacher minilm/ --texts my_log.txt --out my_bot.safetensors
  pocketintent match --templates my_bot.safetensors "where is my order"

A bot file opens in milliseconds, and is taken wherever templates or a model are. With --teacher, a
sentence encoder in a local folder, such as MiniLM, first teaches the model how the words of the
bot's subject work together: up to two points of accuracy, and more with --texts.

keys of the report:
  unknown  number of templates in which the model knows no word; they are never matched
  adapted  number of texts that --teacher has trained the model on; null without it
  words    words of the model, before and after --max-words; null for a model without words
  bytes    sizes: of the model's parts as in `pocketintent compress`, of the bot, of the file
"""

from __future__ import annotations

import argparse
import sys
import time

from pocketintent.cli.options.model import check_model_name, encoder_path
from pocketintent.cli.options.shared import LIMITS, RECOGNITION, add, refuse_options, set_limits
from pocketintent.cli.options.training import command_line
from pocketintent.cli.options.types import whole_number
from pocketintent.cli.output import Progress, print_json, print_note


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``build``."""
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
        help="adapt the model to the bot's texts by this sentence encoder (docs/contextual.md)",
    )
    add(
        parser,
        "--texts",
        help="with --teacher: further texts of the bot's subject, one on each line, such as a log",
    )


def run(args: argparse.Namespace) -> int:
    """Build a bot file and print the report."""
    from pocketintent.bot.build import build_bot
    from pocketintent.bot.template_checks import check_templates
    from pocketintent.compression.report import size_report
    from pocketintent.training.corpora.reader import read_texts
    from pocketintent.training.loop.devices import prepare_torch
    from pocketintent.training.loop.run import RunOptions

    check_model_name(args, "a bot file")
    if args.teacher is None:
        refuse_options(args, ("texts",), "requires --teacher")
    else:
        prepare_torch("cpu", threads=1)
    started = time.monotonic()
    with Progress("texts") as progress:

        def show(done: int, total: int) -> None:
            progress.show("teacher", done, total)
            if done == total:
                print_note(f"training on {total} texts")

        recognizer, report = build_bot(
            args.templates,
            args.model,
            decision=args.decision,
            search=args.search,
            correct=args.correct,
            teacher=args.teacher,
            texts=read_texts(args.texts),
            max_words=args.max_words,
            options=RunOptions(command=command_line(sys.argv[1:])),
            progress=show,
        )
    set_limits(recognizer, args)
    recognizer.save(args.out)
    for warning in check_templates(recognizer.templates):
        print_note(f"{args.templates}: warning: {warning}")
    report |= {"bytes": size_report(args.out), "seconds": round(time.monotonic() - started, 2)}
    print_json({"out": str(args.out), **report})
    return 0
