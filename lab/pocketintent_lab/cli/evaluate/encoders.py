r"""Correlate the cosines that several encoders give to pairs of texts with the scores of the pairs.

Prints a JSON line for each file, with a row for each encoder.

Examples:
  pocketintent-lab evaluate encoders sts/stsb/dev.jsonl \
      --target words.safetensors words-and-terms.safetensors \
      --model char-words.safetensors char-words-and-terms.safetensors default
  pocketintent-lab evaluate encoders patents.csv --a anchor --b target --model tiny.safetensors
  pocketintent-lab evaluate encoders terms/inspec.jsonl --keyphrases dev --target vectors.txt.gz

A table encodes a text as the mean of its word vectors. A table with terms such as
machine_learning is measured twice: without them, and with them joined in each text. A CharEmb is
measured twice as well: reading each text at once, and word by word. With --keyphrases a FILE has
documents and their keyphrases: two phrases of one document (score 1) are compared with two
phrases of different documents (score 0).
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pocketintent.cli.options.model import MODEL_HELP, vectors_file
from pocketintent.cli.options.shared import Distinct, refuse_options
from pocketintent.cli.options.types import SEED, input_file, whole_number
from pocketintent.cli.output import Progress, print_json
from pocketintent.runtime.errors import PocketIntentError

if TYPE_CHECKING:
    from pocketintent.evaluation.records import ScoredPair


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``evaluate encoders``."""
    parser.add_argument(
        "files",
        type=input_file,
        nargs="+",
        metavar="FILE",
        help="pairs: a CSV or TSV with a header line, or JSON lines",
    )
    parser.add_argument(
        "--target",
        action=Distinct,
        type=vectors_file,
        nargs="+",
        default=[],
        metavar="VECTORS",
        help="tables: word2vec, GloVe, fastText, StarSpace TSV, or a model of word vectors",
    )
    parser.add_argument(
        "--limit",
        type=whole_number(1),
        help="read only the first N rows of each table (all)",
    )
    parser.add_argument(
        "--model",
        action=Distinct,
        nargs="+",
        default=[],
        metavar="MODEL",
        help=f"each is {MODEL_HELP}",
    )
    parser.add_argument("--a", metavar="COLUMN", help="column of the first texts (detected)")
    parser.add_argument("--b", metavar="COLUMN", help="column of the second texts (detected)")
    parser.add_argument("--score", metavar="COLUMN", help="column of the scores (detected)")
    parser.add_argument(
        "--keyphrases",
        choices=("test", "dev", "all"),
        help="the files have documents with keyphrases; use this part of the documents",
    )
    parser.add_argument("--seed", type=SEED, default=0, help="seed of the pairs of keyphrases (0)")


def run(args: argparse.Namespace) -> int:
    """Measure the encoders on each file."""
    from pocketintent_lab.evaluation.similarity.text_encoders import (
        compare_encoders,
        read_model,
        read_tables,
    )

    if not args.target and not args.model:
        raise PocketIntentError("nothing to measure: give --target, --model, or both")
    _check_options(args)
    inputs = [(path, *_read_pairs(path, args)) for path in args.files]
    encoders = [encoder for path in args.target for encoder in read_tables(path, args.limit)]
    encoders += [encoder for path in args.model for encoder in read_model(path)]
    with Progress("runs") as progress:
        step = progress.count("encoders", len(inputs) * len(encoders))
        for path, pairs, columns in inputs:
            rows = compare_encoders(encoders, pairs, path, step)
            print_json({"file": str(path), "pairs": len(pairs), "columns": columns, "rows": rows})
    return 0


def _check_options(args: argparse.Namespace) -> None:
    """Refuse options that have no effect on the files and the encoders as bad usage, status 2."""
    if not args.target:
        refuse_options(args, ("limit",), "requires --target")
    if args.keyphrases is None:
        refuse_options(args, ("seed",), "requires --keyphrases")
    else:
        refuse_options(args, ("a", "b", "score"), "has no effect with --keyphrases")


def _read_pairs(path: Path, args: argparse.Namespace) -> tuple[list[ScoredPair], list[str]]:
    """The pairs of a file, and the columns that they were read from."""
    from pocketintent.evaluation.records import read_pairs
    from pocketintent_lab.evaluation.keyphrases.scoring import read_keyphrases, select_split
    from pocketintent_lab.evaluation.similarity.phrase_pairs import pair_keyphrases

    if args.keyphrases is not None:
        documents = select_split(read_keyphrases(path), args.keyphrases)
        return pair_keyphrases(documents, args.seed), ["keyphrases"]
    pairs, columns = read_pairs(path, a=args.a, b=args.b, score=args.score)
    return pairs, list(columns)
