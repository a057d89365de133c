"""Recognise the intent of each TEXT or, without TEXT, of each line of stdin.

Prints one JSON line for each.

Examples:
  pocketintent match --templates smart_home "switch the lamp off please"
  pocketintent match --templates my_bot.safetensors --rank 3 "where is my order"
  pocketintent match --templates my_bot.json < utterances.txt > matches.jsonl
  tail -f chat.log | pocketintent match --templates my_bot.json
  pocketintent match --model exported/ --backend onnxruntime "where is my order"

keys of each line:
  intent     the intent, or null when the match is refused
  score      probability of the nearest intent, 0..1 (similarity, -1..1, for nearest...)
  template   the nearest template of that intent
  nearest    the nearest intent, even when it is refused
  runner_up  the next intent, its score and template; margin is its distance in score
  reason     of a refusal: counter_example, below_threshold, ambiguous, unknown_words, no_templates
  ranking    with --rank: the best intents, each with its score and template

Each line of stdin has its line of the output, even one that is empty or not UTF-8.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from typing import Any

from pocketintent.cli.options.model import MODEL_HELP
from pocketintent.cli.options.shared import LIMITS, RECOGNITION, TEMPLATES_HELP, add, set_limits
from pocketintent.cli.options.types import whole_number
from pocketintent.cli.output import print_json, print_note
from pocketintent.records import without_mark


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``match``."""
    add(parser, "--templates", help=f"{TEMPLATES_HELP}; an exported folder has its own templates")
    backend = "with --backend, an exported folder (default: the model 'default')"
    add(parser, "--model", help=f"{MODEL_HELP}; {backend}")
    parser.add_argument(
        "--backend",
        choices=("auto", "native", "numpy", "onnxruntime", "tflite"),
        default="auto",
        help="what matches: auto, the core in C (native) if it is installed, otherwise numpy; or "
        "the graphs of `pocketintent export` (%(default)s)",
    )
    add(parser, *RECOGNITION, *LIMITS)
    parser.add_argument("--rank", type=whole_number(1), help="also print the best N intents")
    parser.add_argument("texts", nargs="*", metavar="TEXT", help="a text (the lines of stdin)")


def run(args: argparse.Namespace) -> int:
    """Match the texts of the command line or of stdin."""
    if args.templates is None and args.backend in ("auto", "native", "numpy"):
        args.parser.error(
            "--templates is required: a template file, or a bot file, which has its model. Only an "
            "exported folder, as --model with --backend onnxruntime or tflite, has its own"
        )

    from pocketintent.recognizer import IntentRecognizer

    recognizer = IntentRecognizer.load(
        args.templates,
        args.model,
        decision=args.decision,
        correct=args.correct,
        backend=args.backend,
    )
    set_limits(recognizer, args)
    for text in args.texts or _lines_of_stdin():
        # An argument that is not UTF-8 reaches Python with lone surrogates, invalid in JSON.
        text = text.encode("utf-8", "replace").decode()
        line: dict[str, Any] = {"text": text, **recognizer.match(text).to_dict()}
        if args.rank is not None:
            line["ranking"] = [c.to_dict() for c in recognizer.rank(text, limit=args.rank)]
        print_json(line)
    return 0


def _lines_of_stdin() -> Iterable[str]:
    if sys.stdin.isatty():
        print_note("reading texts from the terminal, one per line; end with Ctrl-D")
    for number, line in enumerate(sys.stdin.buffer):
        data = line if number else without_mark(line)
        yield data.decode("utf-8", "replace").rstrip("\r\n")
