r"""Train a masked language model, a small BERT with its own tokenizer, on a corpus.

Prints the record of the run as JSON. Needs the extras 'train' and 'teacher'.

Examples:
  pocketintent-lab train masked-lm --corpus chats.txt.gz --out bert
  pocketintent-lab train masked-lm --corpus a.txt b.jsonl --out bert --precision bfloat16 \
      --max-minutes 60
  torchrun --nproc-per-node 4 -m pocketintent_lab train masked-lm --device cuda \
      --corpus big.txt.gz --out bert --layers 6 --dim 512 --heads 8 --resume

The folder is one of transformers, with weights, configuration and tokenizer, and can be the
--teacher of `train targets` and of evaluations; docs/neural.md says what for. A corpus is text (one
utterance, sentence or paragraph per line), or .jsonl with "text"; both may be .gz. Stop a run at
any time; --resume continues it and gives the same model as an uninterrupted run.
"""

from __future__ import annotations

import argparse

from pocketintent.cli.options.settings import add_settings, read_settings
from pocketintent.cli.options.shared import add
from pocketintent.cli.options.training import (
    add_resume_options,
    print_record,
    run_options,
)
from pocketintent.cli.options.types import output_folder
from pocketintent.training.loop.devices import prepare_torch
from pocketintent_lab.training.masked_lm.settings import MaskedLmSettings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``train masked-lm``."""
    add(parser, "--corpus", required=True)
    parser.add_argument(
        "--out", required=True, metavar="DIR", type=output_folder, help="folder to write"
    )
    add(parser, "--precision", "--max-minutes")
    add(parser, "--device", "--threads")
    add(parser, "--language")
    add_resume_options(parser)
    add_settings(parser, MaskedLmSettings)


def run(args: argparse.Namespace) -> int:
    """Train a model and print its record."""
    prepare_torch(args.device, args.threads)
    from pocketintent_lab.training.masked_lm.pipeline import train_masked_lm

    record = train_masked_lm(
        args.corpus,
        args.out,
        read_settings(args, MaskedLmSettings),
        run_options(args),
        precision=args.precision,
        max_minutes=args.max_minutes,
    )
    print_record({"out": str(args.out), **record})
    return 0
