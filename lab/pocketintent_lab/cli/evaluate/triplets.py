"""Count the triplets of texts that encoders get wrong, and the errors that two encoders share.

Prints JSON.

Examples:
  pocketintent-lab evaluate triplets pairs/mrpc/test.jsonl
  pocketintent-lab evaluate triplets intents/clinc150/valid.jsonl --model default tiny
  pocketintent-lab evaluate triplets pairs/mrpc/test.jsonl --model default --teacher neural.toml

FILE has lines of {"a", "b", "same"}, or of {"text", "intent"}. An anchor, a text of the same
meaning and a different text are a triplet; it is wrong unless the anchor is nearer to the first.
For each two encoders, the intersection is the share of the errors that both make.
"""

from __future__ import annotations

import argparse

from pocketintent.cli.options.model import MODEL_HELP, encoder_name, encoder_path
from pocketintent.cli.options.shared import (
    Distinct,
    add_teacher_options,
    check_without_teacher,
    read_teacher,
)
from pocketintent.cli.options.types import input_file
from pocketintent.cli.output import Progress, print_json
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.files.shipped_models import DEFAULT


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``evaluate triplets``."""
    parser.add_argument("file", type=input_file, metavar="FILE", help="labelled pairs or texts")
    parser.add_argument(
        "--model",
        action=Distinct,
        nargs="+",
        metavar="MODEL",
        help=f"each is {MODEL_HELP} ({DEFAULT})",
    )
    parser.add_argument(
        "--teacher",
        action=Distinct,
        nargs="+",
        type=encoder_path,
        metavar="PATH",
        help="sentence encoders in local folders, or files that describe them",
    )
    add_teacher_options(parser)


def run(args: argparse.Namespace) -> int:
    """Count the triplets of the file."""
    from pocketintent_lab.evaluation.similarity.triplets import evaluate_triplets, read_relations

    if args.teacher is None:
        check_without_teacher(args)
    relations = read_relations(args.file)
    names = args.model or ([] if args.teacher else [DEFAULT])
    encoders: list[tuple[str, Encoder]] = [(name, load_encoder(name)) for name in names]
    encoders += [(encoder_name(path), read_teacher(path, args)) for path in args.teacher or ()]
    with Progress("runs") as progress:
        step = progress.count("encoders", len(encoders))
        print_json({"file": str(args.file), **evaluate_triplets(encoders, relations, step)})
    return 0
