r"""Train Sent2Vec: a word of a sentence is predicted from the mean of the other words and bigrams.

Prints the record of the run as JSON.

Examples:
  pocketintent-lab train sent2vec --corpus chats.txt.gz --out chats.safetensors
  pocketintent-lab train sent2vec --corpus a.txt b.jsonl --out model.safetensors --num-buckets 0
  torchrun --nproc-per-node 4 -m pocketintent_lab train sent2vec --device cuda \
      --corpus big.txt.gz --out model.safetensors --resume

Bigrams take part in training; the model has the words alone.

A corpus is text (one utterance, sentence or paragraph per line; sentences of one document
separated by tabs), or .jsonl with "text"; both may be .gz. Stop a run at any time; --resume
continues it and gives the same model as an uninterrupted run.
"""

from __future__ import annotations

import argparse

from pocketintent.cli.options.settings import add_settings, read_settings
from pocketintent.cli.options.shared import add
from pocketintent.cli.options.training import (
    add_run_options,
    print_record,
    run_options,
)
from pocketintent.training.loop.devices import prepare_torch
from pocketintent_lab.training.sent2vec.settings import Sent2VecSettings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``train sent2vec``."""
    add(parser, "--corpus", required=True)
    add_run_options(parser)
    add_settings(parser, Sent2VecSettings)


def run(args: argparse.Namespace) -> int:
    """Train a model and print its record."""
    prepare_torch(args.device, args.threads)
    from pocketintent_lab.training.sent2vec.pipeline import train_sent2vec

    training = train_sent2vec(
        args.corpus, args.out, read_settings(args, Sent2VecSettings), run_options(args)
    )
    print_record({"out": str(args.out), **training})
    return 0
