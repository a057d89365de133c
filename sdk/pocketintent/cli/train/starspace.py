"""``pocketintent train starspace``: word embeddings learnt by ranking."""

from __future__ import annotations

import argparse

from pocketintent.cli.options.settings import add_settings, read_settings
from pocketintent.cli.options.training import (
    add_corpus_option,
    add_run_options,
    print_record,
    run_options,
)
from pocketintent.training.loop.devices import prepare_torch
from pocketintent.training.starspace.settings import StarSpaceSettings

EXAMPLES = """\
examples:
  pocketintent train starspace --corpus chats.txt.gz --out chats.safetensors
  pocketintent train starspace --corpus a.txt b.jsonl --out model.safetensors \\
      --dim 256 --no-share-sides --subsample 1e-3 --epochs 5 --min-count 2
  pocketintent train starspace --corpus utterances.jsonl --mode labelled --out model.safetensors
  pocketintent train starspace --write-settings starspace.toml
  pocketintent train starspace --corpus chats.txt.gz --settings starspace.toml --out m.safetensors

A corpus is text (one utterance, sentence or paragraph per line; sentences of one document
separated by tabs), or .jsonl with "text" and, for labelled mode, "intent"; both may be .gz.
Stop a run at any time; --resume continues it and gives the same model as an uninterrupted run."""

OPTIONS = ("mode", "dim", "share_sides", "epochs", "min_count", "max_words", "subsample", "seed")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``train starspace``."""
    parser.description = "Train StarSpace embeddings. Prints the record of the run as JSON."
    parser.epilog = EXAMPLES
    parser.set_defaults(run=run)
    add_corpus_option(parser)
    add_run_options(parser)
    add_settings(parser, StarSpaceSettings, options=OPTIONS)


def run(args: argparse.Namespace) -> int:
    """Train a model and print its record."""
    prepare_torch(args.device, args.threads)
    from pocketintent.training.starspace.pipeline import train_starspace

    settings = read_settings(args, StarSpaceSettings)
    training = train_starspace(args.corpus, args.out, settings, run_options(args))
    print_record({"out": str(args.out), **training})
    return 0
