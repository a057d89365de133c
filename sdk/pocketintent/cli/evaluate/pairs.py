"""``pocketintent evaluate pairs``: similarity of texts, on any table of scored pairs."""

from __future__ import annotations

import argparse

from pocketintent.cli.options.files import input_file
from pocketintent.cli.options.teacher import add_encoder_options, describe_encoder, read_encoder
from pocketintent.cli.output import print_json

EXAMPLES = """\
examples:
  pocketintent evaluate pairs patents/test.csv --model tiny.safetensors
  pocketintent evaluate pairs faq.tsv --a question --b stored --score rating
  pocketintent evaluate pairs sts/stsb/dev.jsonl
  pocketintent evaluate pairs pairs/mrpc/test.jsonl --teacher bert/ --embedding neural

FILE is a CSV or TSV with a header line, or JSON lines. Four sets of columns are detected: a, b,
score; anchor, target, score (Patent Phrase Similarity); sentence1, sentence2, score; and a, b,
same. If all scores are 0 or 1, the report also says how well the cosine separates the two."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``evaluate pairs``."""
    parser.description = (
        "Measure the correlation (Pearson, Spearman and Kendall) of the cosine of two texts with "
        "their score in a table. Prints JSON: the file, the model, and the correlations."
    )
    parser.epilog = EXAMPLES
    parser.set_defaults(run=run)
    parser.add_argument(
        "file", type=input_file, metavar="FILE", help="table with a row for each pair, UTF-8"
    )
    add_encoder_options(parser)
    parser.add_argument("--a", metavar="COLUMN", help="column of the first texts (detected)")
    parser.add_argument("--b", metavar="COLUMN", help="column of the second texts (detected)")
    parser.add_argument("--score", metavar="COLUMN", help="column of the scores (detected)")


def run(args: argparse.Namespace) -> int:
    """Correlate cosine with the scores of the file."""
    from pocketintent.evaluation.similarity.pairs import evaluate_pairs

    encoder = read_encoder(args)
    report = evaluate_pairs(encoder, args.file, a=args.a, b=args.b, score=args.score)
    print_json({"file": str(args.file), **describe_encoder(args), **report})
    return 0
