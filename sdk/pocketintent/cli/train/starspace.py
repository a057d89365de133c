"""``pocketintent train starspace``: embeddings learnt by ranking."""

from __future__ import annotations

import argparse
import sys

from pocketintent.cli.options.settings import read_settings
from pocketintent.cli.options.training import (
    command_line,
    print_record,
)
from pocketintent.cli.output import print_note
from pocketintent.training.loop.devices import prepare_torch
from pocketintent.training.starspace.settings import StarSpaceSettings

_HELP = {
    "mode": "what is learnt: a word from its context, a sentence from another one of its document "
    "(or half of it from the other half), or an utterance's label",
    "dim": "dimension of the embeddings",
    "share_sides": "a word has the same embedding as context and as target; with --no-share-sides "
    "words become similar when they share contexts rather than when they occur together",
    "window": "words on each side that make a word's context",
    "negatives": "wrong answers that each example is compared with",
    "negative_power": "negatives are drawn by frequency to this power",
    "loss": "margin ranking over cosine, or softmax over dot product",
    "margin": "how much nearer the right answer has to be",
    "optimizer": "AdaGrad or plain SGD",
    "learning_rate": "at the start; falls linearly to zero",
    "epochs": "passes over the corpus",
    "batch_tokens": "words of a step",
    "row_length": "slots of a row of word mode, whose examples share negatives",
    "min_count": "rarer words get no embedding",
    "max_words": "keep only this many of the most frequent words",
    "subsample": "words above this share of the text are skipped at random; 0 for never",
    "init_scale": "standard deviation of fresh embeddings",
    "max_norm": "longer embeddings are cut to this length",
    "num_buckets": "hashed character n-grams added to each word, for unknown words too; 0: none",
    "min_n": "shortest n-gram",
    "max_n": "longest n-gram",
    "tokenizer": "`simple` runs on the device; `tweet` is NLTK's",
    "split": "sentences of a line: separated by tabs, or found by Punkt",
    "seed": "one seed gives one model on one device",
}


def run(args: argparse.Namespace) -> int:
    """Train a model and print its record."""
    from pocketintent.runtime.errors import PocketIntentError

    prepare_torch(args.device, args.threads)
    from pocketintent.training.starspace.pipeline import train_starspace

    if not args.out.absolute().parent.is_dir():
        raise PocketIntentError(f"--out {args.out}: there is no folder {args.out.parent}")
    settings = read_settings(args, StarSpaceSettings)
    training = train_starspace(
        args.corpus,
        args.out,
        settings,
        device=args.device,
        resume=args.resume,
        restart=args.restart,
        command=command_line(sys.argv[1:]),
        report=print_note,
    )
    print_record({"out": str(args.out), **training})
    return 0
