"""Measure the correlation of the cosine of two texts with their score.

Prints a JSON line.

Examples:
  pocketintent evaluate sts sts/stsb/test.jsonl
  pocketintent evaluate sts patents/test.csv --model my.safetensors
  pocketintent evaluate sts faq.tsv --a question --b stored --score rating
  pocketintent evaluate sts sts/stsb/test.jsonl --teacher minilm/

FILE is JSON lines, or a CSV or TSV with a header line. The columns a, b, score; anchor, target,
score; sentence1, sentence2, score; and a, b, same are detected.
"""

from __future__ import annotations

import argparse

from pocketintent.cli.options.shared import add_encoder_options, read_encoder
from pocketintent.cli.options.types import input_file
from pocketintent.cli.output import print_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``evaluate sts``."""
    parser.add_argument("file", type=input_file, metavar="FILE", help="scored pairs, in UTF-8")
    add_encoder_options(parser)
    for option, content in (("--a", "first texts"), ("--b", "second texts"), ("--score", "scores")):
        parser.add_argument(option, metavar="COLUMN", help=f"column of the {content} (detected)")


def run(args: argparse.Namespace) -> int:
    """Correlate cosine with the scores of the file."""
    from pocketintent.evaluation.similarity.sts import evaluate_sts

    encoder, path = read_encoder(args)
    report = evaluate_sts(encoder, args.file, a=args.a, b=args.b, score=args.score)
    print_json({"file": str(args.file), "model": str(path), **report})
    return 0
