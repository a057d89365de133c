"""Weight the words of a trained model, and add dimensions made from their character n-grams.

The weights are by frequency, or by another pooling. Unknown words have the n-grams too.

Examples:
  pocketintent train finish trained.safetensors --out finished.safetensors
  pocketintent train finish glove.safetensors --corpus chats.txt.gz --out finished.safetensors
  pocketintent train finish trained.safetensors --settings finish.toml --out finished.safetensors
"""

from __future__ import annotations

import argparse

from pocketintent.cli.options.settings import add_settings, given_settings, read_settings
from pocketintent.cli.options.shared import add
from pocketintent.cli.options.types import input_file
from pocketintent.cli.output import print_json
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.finish.settings import FinishSettings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``train finish``."""
    help = "a model of kind static, such as those of `train starspace`"
    parser.add_argument("model", metavar="IN", type=input_file, help=help)
    needed = "for the poolings `idf` and `sif`, and for a model without word frequencies"
    add(parser, "--corpus", help=f"count the words in these texts; required {needed}")
    add(parser, "--out", help="model to write")
    add_settings(parser, FinishSettings, options=("trained_dim", "subword_dim", "pooling", "seed"))


def run(args: argparse.Namespace) -> int:
    """Finish a trained model and print its sizes."""
    from pocketintent.runtime.encoders.registry import load_kind
    from pocketintent.runtime.encoders.static import StaticEncoder
    from pocketintent.runtime.files.model_file import save_model
    from pocketintent.training.corpora.reader import CorpusTexts
    from pocketintent.training.finish.pipeline import finish_encoder

    encoder = load_kind(args.model, StaticEncoder)
    settings = read_settings(args, FinishSettings)
    if "trained_dim" in given_settings(args, FinishSettings) and settings.trained_dim > encoder.dim:
        raise PocketIntentError(
            f"--trained-dim {settings.trained_dim} is more than the {encoder.dim} dimensions of "
            f"{args.model}; give at most {encoder.dim}, or 0 to keep all"
        )
    texts = None if args.corpus is None else CorpusTexts(args.corpus)
    if texts is None and encoder.counts is None:
        raise PocketIntentError(
            f"{args.model}: does not know how frequent its words are; give --corpus"
        )
    finished = finish_encoder(encoder, settings, texts)
    save_model(args.out, *finished.to_model_file_parts())
    print_json({"out": str(args.out), "words": len(finished.words), "dim": finished.dim})
    return 0
