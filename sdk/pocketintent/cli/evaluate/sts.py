"""``pocketintent evaluate sts``: sentence similarity."""

from __future__ import annotations

import argparse

from pocketintent.cli.options.files import input_file
from pocketintent.cli.options.model import add_model_option
from pocketintent.cli.output import print_json
from pocketintent.runtime.encoders.registry import load_encoder

EXAMPLES = """\
examples:
  pocketintent evaluate sts sts/stsb/test.jsonl
  pocketintent evaluate sts sts/stsb/test.jsonl --model my.safetensors"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``evaluate sts``."""
    parser.description = "Measure the correlation of cosine with gold similarity. Prints JSON."
    parser.epilog = EXAMPLES
    parser.set_defaults(run=run)
    parser.add_argument(
        "file",
        type=input_file,
        metavar="FILE",
        help='lines of {"a": text, "b": text, "score": number}',
    )
    add_model_option(parser)


def run(args: argparse.Namespace) -> int:
    """Correlate cosine with gold similarity."""
    from pocketintent.evaluation.similarity.sts import evaluate_sts

    print_json(evaluate_sts(load_encoder(args.model), args.file))
    return 0
