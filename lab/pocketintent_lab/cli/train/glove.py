r"""Train GloVe: word vectors are fitted to the logarithms of co-occurrence counts.

Prints the record of the run as JSON.

Examples:
  pocketintent-lab train glove --corpus chats.txt.gz --out chats.safetensors
  pocketintent-lab train glove --corpus big.txt.gz --out big.safetensors --memory 4000
  torchrun --nproc-per-node 4 -m pocketintent_lab train glove --device cuda --corpus big.txt.gz \
      --out model.safetensors --resume

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
from pocketintent_lab.training.glove.settings import GloveSettings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``train glove``."""
    add(parser, "--corpus", required=True)
    add_run_options(parser)
    add_settings(parser, GloveSettings)


def run(args: argparse.Namespace) -> int:
    """Train a model and print its record."""
    prepare_torch(args.device, args.threads)
    from pocketintent_lab.training.glove.pipeline import train_glove

    training = train_glove(
        args.corpus, args.out, read_settings(args, GloveSettings), run_options(args)
    )
    print_record({"out": str(args.out), **training})
    return 0
