"""``pocketintent evaluate sts``: sentence similarity."""

from __future__ import annotations

import argparse

from pocketintent.cli.options.files import input_file
from pocketintent.cli.options.teacher import add_encoder_options, describe_encoder, read_encoder
from pocketintent.cli.output import print_json

EXAMPLES = """\
examples:
  pocketintent evaluate sts sts/stsb/test.jsonl
  pocketintent evaluate sts sts/stsb/test.jsonl --model my.safetensors
  pocketintent evaluate sts sts/stsb/test.jsonl --teacher minilm/"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``evaluate sts``."""
    parser.description = (
        "Measure the correlation of cosine with gold similarity. Prints JSON: the file, the model, "
        "and the correlations."
    )
    parser.epilog = EXAMPLES
    parser.set_defaults(run=run)
    parser.add_argument(
        "file",
        type=input_file,
        metavar="FILE",
        help='lines of {"a": text, "b": text, "score": number}',
    )
    add_encoder_options(parser)


def run(args: argparse.Namespace) -> int:
    """Correlate cosine with gold similarity."""
    from pocketintent.evaluation.similarity.sts import evaluate_sts

    report = evaluate_sts(read_encoder(args), args.file)
    print_json({"file": str(args.file), **describe_encoder(args), **report})
    return 0
