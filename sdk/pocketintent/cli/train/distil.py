"""``pocketintent train distil``: word vectors whose sums are the vectors of a sentence encoder."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from pocketintent.cli.options.model import vectors_file
from pocketintent.cli.options.settings import add_settings, read_settings
from pocketintent.cli.options.training import (
    add_resume_options,
    add_torch_options,
    command_line,
    print_record,
)
from pocketintent.cli.output import print_note
from pocketintent.training.distil.settings import DistilSettings
from pocketintent.training.loop.devices import prepare_torch

EXAMPLES = """\
examples:
  pocketintent train targets --teacher minilm/ --words default --out words.tsv
  pocketintent train targets --teacher minilm/ --texts chats.txt.gz --out utterances.bin
  pocketintent train distil --targets words.tsv utterances.bin --out sums.safetensors
  pocketintent train finish sums.safetensors --out finished.safetensors --trained-dim 192 \\
      --subword-dim 64 --subword-scale 0.6 --norm-power 1 --frequency-weight 0
  pocketintent compress finished.safetensors --out my_model.safetensors --sub-dim 4 \\
      --codebook-size 256 --corpus chats.txt.gz

Targets are what `train targets` writes: utterances of the kind that will be asked, the more the
better, and words by themselves, so that rare ones have a meaning too. Stop a run at any time;
--resume goes on with it and gives the model of an unbroken run."""

_HELP = {
    "dim": "principal components of the targets that are kept",
    "epochs": "passes over the texts",
    "learning_rate": "of AdaGrad; falls linearly to zero",
    "batch_size": "texts of a step",
    "min_count": "rarer words get no vector, unless they are a text by themselves",
    "max_words": "keep only this many of the most frequent words",
    "frequency_weight": "a of the weight a / (a + its share of the text) that a word begins with; "
    "0 for no weights",
    "validation": "share of the texts of several words that is kept out of training, to measure",
    "tokenizer": "`simple` runs on the device; `tweet` is NLTK's",
    "seed": "one seed gives one model on one device",
}


def add_parser(methods: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the method ``distil`` to ``train``."""
    parser = methods.add_parser(
        "distil",
        help="word vectors whose sums are the vectors of a sentence encoder",
        description="Fit word vectors to the vectors that a sentence encoder gave to texts; "
        "prints the run's record as JSON.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    parser.add_argument(
        "--targets",
        type=vectors_file,
        nargs="+",
        required=True,
        metavar="FILE",
        help="texts with their vectors, of `train targets`",
    )
    parser.add_argument("--out", required=True, metavar="FILE", type=Path, help="model to write")
    add_torch_options(parser)
    add_resume_options(parser)
    add_settings(parser, DistilSettings, _HELP)


def run(args: argparse.Namespace) -> int:
    """Train a model and print its record."""
    from pocketintent.runtime.errors import PocketIntentError

    prepare_torch(args.device, args.threads)
    from pocketintent.training.distil.pipeline import train_distilled

    if not args.out.absolute().parent.is_dir():
        raise PocketIntentError(f"--out {args.out}: there is no folder {args.out.parent}")
    training = train_distilled(
        args.targets,
        args.out,
        read_settings(args, DistilSettings),
        device=args.device,
        resume=args.resume,
        restart=args.restart,
        command=command_line(sys.argv[1:]),
        report=print_note,
    )
    print_record({"out": str(args.out), **training})
    return 0
