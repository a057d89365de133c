r"""Measure a CharEmb as a compressor of the vectors that it was trained on.

Prints JSON.

Examples:
  pocketintent-lab evaluate reconstruction sts/stsb/dev.jsonl \
      --target vectors.txt.gz --model charemb.safetensors
  pocketintent-lab evaluate reconstruction sts/stsb/test.jsonl \
      --target default --model char-default.safetensors

The vectors of all words of the target are rebuilt from their characters. A text is encoded as
the mean of its word vectors. The report has the correlations with the scores for the original and
the rebuilt vectors, and how many times smaller the model is.
"""

from __future__ import annotations

import argparse

from pocketintent.cli.options.model import model_file, vectors_file
from pocketintent.cli.options.types import input_file, whole_number
from pocketintent.cli.output import print_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``evaluate reconstruction``."""
    parser.add_argument(
        "file",
        type=input_file,
        metavar="FILE",
        help='lines of {"a": text, "b": text, "score": number}',
    )
    parser.add_argument(
        "--target",
        type=vectors_file,
        required=True,
        metavar="VECTORS",
        help="the original vectors: word2vec, GloVe, fastText, StarSpace TSV, or a model of word "
        "vectors",
    )
    parser.add_argument(
        "--model", type=model_file, required=True, metavar="CHAREMB", help="a model of kind charemb"
    )
    parser.add_argument(
        "--limit",
        type=whole_number(1),
        help="read only the first N rows of the target (all)",
    )


def run(args: argparse.Namespace) -> int:
    """Rebuild the target's vectors and compare both tables."""
    from pocketintent_lab.evaluation.similarity.reconstruction import evaluate_reconstruction

    print_json(evaluate_reconstruction(args.file, args.target, args.model, limit=args.limit))
    return 0
