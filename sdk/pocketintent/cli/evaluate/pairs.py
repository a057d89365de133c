"""``pocketintent evaluate pairs``: similarity of texts, on any table of scored pairs."""

from __future__ import annotations

import argparse

from pocketintent.cli.options.files import input_file
from pocketintent.cli.options.model import add_model_option
from pocketintent.cli.output import print_json
from pocketintent.runtime.encoders.registry import load_encoder

EXAMPLES = """\
examples:
  pocketintent evaluate pairs patents/test.csv --model tiny.safetensors
  pocketintent evaluate pairs faq.tsv --a question --b stored --score rating
  pocketintent evaluate pairs sts/stsb/dev.jsonl

FILE is a CSV or TSV with a header line, or JSON lines. Three sets of columns are detected: a, b,
score; anchor, target, score (Patent Phrase Similarity); and sentence1, sentence2, score."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``evaluate pairs``."""
    parser.description = (
        "Measure the correlation (Pearson and Spearman) of the cosine of two texts with their "
        "score in a table. Prints JSON."
    )
    parser.epilog = EXAMPLES
    parser.set_defaults(run=run)
    parser.add_argument(
        "file", type=input_file, metavar="FILE", help="table with a row for each pair, UTF-8"
    )
    add_model_option(parser)
    parser.add_argument("--a", metavar="COLUMN", help="column of the first texts (detected)")
    parser.add_argument("--b", metavar="COLUMN", help="column of the second texts (detected)")
    parser.add_argument("--score", metavar="COLUMN", help="column of the scores (detected)")


def run(args: argparse.Namespace) -> int:
    """Correlate cosine with the scores of the file."""
    from pocketintent.evaluation.similarity.pairs import evaluate_pairs

    encoder = load_encoder(args.model)
    print_json(evaluate_pairs(encoder, args.file, a=args.a, b=args.b, score=args.score))
    return 0
