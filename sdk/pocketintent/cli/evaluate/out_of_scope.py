"""``pocketintent evaluate oos``: out-of-scope utterances."""

from __future__ import annotations

import argparse
from functools import partial

from pocketintent.cli.options.decision import add_decisions_option, decisions_of
from pocketintent.cli.options.draws import add_draw_options
from pocketintent.cli.options.files import input_folder
from pocketintent.cli.options.intent_data import add_names_option
from pocketintent.cli.options.model import add_model_option
from pocketintent.cli.output import print_json
from pocketintent.cli.progress import Progress
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.files.shipped_models import find_model

EXAMPLES = """\
examples:
  pocketintent evaluate oos intents/clinc150
  pocketintent evaluate oos intents/clinc150 --shots 10,50 --runs 3 --model my.safetensors"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``evaluate oos``."""
    parser.description = (
        "Measure how well the score tells out-of-scope utterances from those of an intent. Prints "
        "a JSON line for each number of templates, with the file of the model."
    )
    parser.epilog = EXAMPLES
    parser.set_defaults(run=run)
    add_model_option(parser)
    parser.add_argument(
        "directory",
        type=input_folder,
        metavar="DIR",
        help="folder with train, valid, test, oos_valid and oos_test .jsonl, as in CLINC150",
    )
    add_draw_options(parser, default_shots=(50,))
    add_decisions_option(parser)
    add_names_option(parser)


def run(args: argparse.Namespace) -> int:
    """Measure how well the score tells out-of-scope utterances."""
    from pocketintent.evaluation.intents.out_of_scope import evaluate_out_of_scope

    encoder = load_encoder(args.model)
    with Progress("draws") as progress:
        step = progress.count("oos", len(args.shots) * args.runs)
        for shots in args.shots:
            report = evaluate_out_of_scope(
                encoder,
                args.directory,
                shots=shots,
                runs=args.runs,
                decisions=decisions_of(args),
                seed=args.seed,
                learn_names=args.learn_names,
                progress=partial(step, f"{shots} templates"),
            )
            print_json({**report, "model": str(find_model(args.model))})
    return 0
