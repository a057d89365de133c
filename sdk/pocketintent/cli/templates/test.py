"""Measure a bot on labelled utterances.

Prints a JSON line, and a text for people on stderr.

Examples:
  pocketintent templates test my_bot.json utterances.csv
  pocketintent templates test my_bot.json utterances.csv --threshold 0.35
  pocketintent templates test my_bot.json utterances.jsonl --model tiny --plot matrix.png
  pocketintent templates test smart_home utterances.tsv --min-accuracy 0.9 > report.json

UTTERANCES has the sentences of your users and the intents that they should get, as lines of
{"text": "switch the lamp on", "intent": "lights_on"} or as a table with the columns text and
intent. A null or empty intent says that the bot should refuse it.

keys of the report, which docs/testing.md describes in full:
  accuracy               share of the utterances with an intent that got it
  wrong, refused         shares that got another intent, and none
  out_of_scope_accepted  share of the utterances without an intent that got one
  answered_rightly       share of all utterances that got their intent or, without one, a refusal
  intents, confusion     precision and recall of each intent; expected and given intents
  confusions, refusals   the worst mistakes, with the templates that were nearest
  choice                 the best threshold and margin for these utterances

exit status: 0 measured, 1 bad input or an accuracy below --min-accuracy
"""

from __future__ import annotations

import argparse

from pocketintent.cli.options.shared import LIMITS, add, set_limits
from pocketintent.cli.options.types import input_file, number
from pocketintent.cli.output import print_json, print_note
from pocketintent.runtime.files.shipped_models import DEFAULT


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``templates test``."""
    add(parser, "templates")
    utterances = "labelled utterances: JSON lines, TSV or CSV"
    parser.add_argument("utterances", type=input_file, metavar="UTTERANCES", help=utterances)
    add(parser, "--model", "--decision", *LIMITS)
    least = "exit with status 1 if the accuracy is below X, 0 to 1 (none)"
    parser.add_argument("--min-accuracy", type=number(least=0.0, most=1.0), help=least)
    add(parser, "--plot", help="draw the confusion matrix; needs the extra 'evaluate'")
    add(parser, "--json")


def run(args: argparse.Namespace) -> int:
    """Test a bot."""
    from pocketintent.bot.report import evaluate_bot
    from pocketintent.bot.utterances import read_labelled
    from pocketintent.bot.words import describe
    from pocketintent.recognizer import IntentRecognizer
    from pocketintent.runtime.templates.files import choose_model

    recognizer = IntentRecognizer.load(args.templates, args.model, decision=args.decision)
    set_limits(recognizer, args)
    utterances = read_labelled(args.utterances, recognizer.intents, args.templates)
    report, matrix = evaluate_bot(recognizer, utterances)
    model = choose_model(args.templates, args.model) or DEFAULT
    inputs = {"templates": args.templates, "utterances": str(args.utterances), "model": str(model)}
    print_json({**inputs, **report})
    if not args.json:
        print_note(describe(report, matrix))
    if args.plot is not None:
        from pocketintent.bot.matrix_plot import plot_confusion

        plot_confusion(matrix, args.templates, args.plot)
        print_note(f"plot: {args.plot}")
    accuracy, least = report["accuracy"], args.min_accuracy
    if least is None or (accuracy is not None and accuracy >= least):
        return 0
    problem = "no utterance has an intent, so there is no accuracy"
    if accuracy is not None:
        problem = f"the accuracy is {accuracy:.4f}, below {least:g}"
    print_note(f"--min-accuracy: {problem}")
    return 1
