r"""Train InferSent: a BiLSTM with max pooling over fixed word vectors.

It classifies or scores pairs of sentences.

Prints the record of the run as JSON.

Examples:
  pocketintent-lab train infersent --pairs snli_1.0_train.jsonl --vectors words.safetensors \
      --validation-pairs snli_1.0_dev.jsonl --out infersent.safetensors
  pocketintent-lab train infersent --pairs stsb/train.jsonl mrpc/train.jsonl \
      --vectors words.safetensors --corpus chats.txt.gz --out infersent.safetensors
  torchrun --nproc-per-node 4 -m pocketintent_lab train infersent --device cuda --hidden 2048 \
      --pairs snli_1.0_train.jsonl --vectors glove.txt.gz --out infersent.safetensors --resume

Pairs are JSON lines, or a CSV or TSV with a header. The sentences are in a and b, sentence1 and
sentence2, premise and hypothesis, or anchor and target. The name of the answers' column decides
what they are: gold_label, label or same has classes (any words or whole numbers; rows with "-" are
skipped and counted), score has numbers from 0 to 5. Stop a run at any time; --resume continues it
and gives the same model as an uninterrupted run.
"""

from __future__ import annotations

import argparse

from pocketintent.cli.options.model import vectors_file
from pocketintent.cli.options.settings import add_settings, read_settings
from pocketintent.cli.options.training import add_run_options, print_record, run_options
from pocketintent.cli.options.types import input_file, number
from pocketintent.training.loop.devices import prepare_torch
from pocketintent_lab.training.infersent.pairs import Columns
from pocketintent_lab.training.infersent.settings import InferSentSettings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``train infersent``."""
    parser.add_argument(
        "--pairs",
        type=input_file,
        nargs="+",
        required=True,
        metavar="FILE",
        help="labelled or scored pairs of sentences to train on",
    )
    parser.add_argument(
        "--vectors",
        type=vectors_file,
        required=True,
        metavar="FILE",
        help="the words and their vectors, which are not trained: a static model, or any file of "
        "vectors that `train words --from` reads",
    )
    parser.add_argument(
        "--validation-pairs",
        type=input_file,
        nargs="+",
        default=[],
        metavar="FILE",
        help="pairs to validate on, instead of the share --validation of the others",
    )
    parser.add_argument(
        "--corpus",
        type=input_file,
        nargs="+",
        default=[],
        metavar="FILE",
        help="texts for the codebook of templates and the background of the model",
    )
    for name, help_text in (
        ("a", "column of the first sentences"),
        ("b", "column of the second sentences"),
        ("label", "column of the answers, which are classes"),
        ("score", "column of the answers, which are numbers from 0 to 5"),
    ):
        parser.add_argument(f"--{name}", metavar="NAME", help=f"{help_text} (recognised)")
    parser.add_argument(
        "--weights",
        choices=("int8", "float32"),
        default="int8",
        help="how the words and the network are stored; `pocketintent compress` makes a float32 "
        "model smaller than int8 (%(default)s)",
    )
    parser.add_argument(
        "--precision",
        choices=("auto", "float32", "bfloat16", "float16"),
        default="auto",
        help="precision of the products; auto is half precision on a GPU (%(default)s)",
    )
    parser.add_argument(
        "--max-minutes",
        type=number(above=0),
        help="end training, and the fall of its learning rate, after this many minutes",
    )
    add_run_options(parser)
    add_settings(parser, InferSentSettings)


def run(args: argparse.Namespace) -> int:
    """Train a model and print its record."""
    prepare_torch(args.device, args.threads)
    from pocketintent_lab.training.infersent.pipeline import train_infersent

    record = train_infersent(
        args.pairs,
        args.vectors,
        args.out,
        read_settings(args, InferSentSettings),
        run_options(args),
        validation_pairs=args.validation_pairs,
        columns=Columns(args.a, args.b, args.label, args.score),
        weights=args.weights,
        corpus=args.corpus,
        precision=args.precision,
        max_minutes=args.max_minutes,
    )
    print_record({"out": str(args.out), **record})
    return 0
