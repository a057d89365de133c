r"""Measure what written bots answer to free phrasings, and to texts that are not for them.

Prints a JSON line for each folder.

Examples:
  pocketintent evaluate bots bots/valid
  pocketintent evaluate bots bots/valid --model tiny --shots 1,3,6 --plot reliability.png
  pocketintent evaluate bots bots/valid --margin 0.1
  pocketintent evaluate bots bots/valid --teacher minilm/ --corpus chats.txt.gz

DIR has a JSON file for each bot:
  {"intents": {"lamp_on": {"templates": ["turn on the lamp", "light on"],
                           "phrasings": ["it is dark in here"]}},
   "foreign": {"other_subjects": ["play some jazz"], "own_subject": ["is this bulb dimmable"]}}

The recogniser has the templates. Of the phrasings, `right` get their intent, `other` get another
one, and `in_front` have theirs as the best one, whatever its score; `accepted` has the foreign
texts that get an intent. Figures are means over bots of the share of a bot's texts.
`right_at_5_percent` makes models comparable, however they are calibrated: it is `right` at the one
threshold at which all bots together accept 5 % of the texts on other subjects.
docs/evaluation.md has the other keys.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from pocketintent.cli.evaluate.folders import print_reports
from pocketintent.cli.options.shared import (
    add,
    add_encoder_options,
    read_encoder,
    refuse_options,
)
from pocketintent.cli.options.types import number, whole_numbers
from pocketintent.cli.output import Progress, print_note


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``evaluate bots``."""
    add(parser, "directories", help="folder of bots, each a JSON file")
    add_encoder_options(parser)
    help = "texts for the background of a teacher, which a model of this package has already"
    add(parser, "--corpus", help=help)
    parser.add_argument(
        "--shots",
        type=whole_numbers(1),
        default=(),
        metavar="N,…",
        help="the first N templates of each intent (all)",
    )
    limit = number(least=0, most=1)
    help = "scores under it are refused (%(default)s)"
    add(parser, "--threshold", type=limit, default=0.5, help=help)
    help = "smallest lead over the next intent (%(default)s)"
    add(parser, "--margin", type=limit, default=0.0, help=help)
    add(parser, "--no-names")
    add(parser, "--plot", help="draw the reliability of the scores")


def run(args: argparse.Namespace) -> int:
    """Measure the encoder on the bots of each folder."""
    from pocketintent.evaluation.intents.reliability_plot import plot_reliability

    if args.teacher is None:
        refuse_options(args, ("corpus",), "requires --teacher")
    elif args.corpus is None:
        args.parser.error("--teacher requires --corpus, for the texts of its background")
    return print_reports(_measure(args), plot_reliability, args.plot)


def _measure(args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """The report of each folder, all of which is read before the first is measured."""
    from pocketintent.compression.background import make_background
    from pocketintent.evaluation.bots.answers import evaluate_bots, read_bots
    from pocketintent.evaluation.intents.draw_scorers import EmbeddedTexts
    from pocketintent.training.corpora.reader import read_texts

    folders = [(folder, read_bots(folder)) for folder in args.directories]
    encoder, path = read_encoder(args)
    if args.teacher is not None:
        print_note("encoding lines of the corpus, which are the background")
        encoder = EmbeddedTexts(encoder)
        encoder.background = make_background(encoder, read_texts(args.corpus))
    for folder, bots in folders:
        name = folder.resolve().name
        with Progress("bots") as progress:
            report = evaluate_bots(
                encoder,
                bots,
                shots=args.shots,
                threshold=args.threshold,
                margin=args.margin,
                learn_names=args.learn_names,
                progress=progress.count(name, len(bots)),
            )
        yield {"dataset": name, **report, "model": str(path)}
