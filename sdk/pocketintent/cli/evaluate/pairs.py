"""``pocketintent evaluate pairs``: similarity of the texts of any table of scored pairs."""

from __future__ import annotations

import argparse
from pathlib import Path

from pocketintent.cli.options.model import add_model_option
from pocketintent.cli.output import print_json
from pocketintent.runtime.encoders.registry import load_encoder

EXAMPLES = """\
examples:
  pocketintent evaluate pairs patents/test.csv --model tiny.safetensors
  pocketintent evaluate pairs faq.tsv --a question --b stored --score rating
  pocketintent evaluate pairs sts/stsb/dev.jsonl

FILE is a CSV or TSV with a head line, or JSON lines. Columns a, b, score; anchor, target, score
(Patent Phrase Similarity); and sentence1, sentence2, score are found without being named."""


def add_parser(tasks: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the task ``pairs`` to ``evaluate``."""
    parser = tasks.add_parser(
        "pairs",
        help="correlation of cosine with the scores of any CSV or JSONL of text pairs",
        description="Measure how well the cosine of two texts follows the score that a table "
        "gives them (Pearson and Spearman); prints JSON.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    parser.add_argument("file", type=Path, metavar="FILE", help="a row for each pair, UTF-8")
    add_model_option(parser)
    parser.add_argument("--a", metavar="COLUMN", help="of the first texts (found)")
    parser.add_argument("--b", metavar="COLUMN", help="of the second texts (found)")
    parser.add_argument("--score", metavar="COLUMN", help="of the scores (found)")


def run(args: argparse.Namespace) -> int:
    """Correlate cosine with the scores of the file."""
    from pocketintent.evaluation.similarity.pairs import evaluate_pairs

    encoder = load_encoder(args.model)
    print_json(evaluate_pairs(encoder, args.file, a=args.a, b=args.b, score=args.score))
    return 0
