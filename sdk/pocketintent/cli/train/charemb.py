"""``pocketintent train charemb``: learn the vectors of terms from their characters."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import Any

from pocketintent.cli.options.files import output_file
from pocketintent.cli.options.model import vectors_file
from pocketintent.cli.options.numbers import whole_number
from pocketintent.cli.options.settings import add_settings, read_settings
from pocketintent.cli.options.training import (
    add_limits,
    add_run_options,
    print_record,
    run_options,
)
from pocketintent.training.charemb.settings import PRESETS, CharEmbSettings
from pocketintent.training.loop.devices import prepare_torch

EXAMPLES = """\
examples:
  pocketintent train charemb --target vectors.txt.gz --preset small --device cuda \\
      --out charemb.safetensors
  pocketintent train charemb --target default --reads words --preset tiny \\
      --threads 1 --max-minutes 30 --out tiny.safetensors
  torchrun --nproc-per-node 4 -m pocketintent train charemb --device cuda --preset base \\
      --target vectors.bin --out base.safetensors --resume

A target is any file of vectors (word2vec, GloVe, fastText, StarSpace) or a model of word
vectors. Stop a run at any time; --resume continues it and gives the same model as an
uninterrupted run."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``train charemb``."""
    parser.description = (
        "Train a character network to produce the vectors of a table from its terms. Prints the "
        "record of the run as JSON."
    )
    parser.epilog = EXAMPLES
    parser.set_defaults(run=run)
    parser.add_argument(
        "--target",
        type=vectors_file,
        nargs="+",
        required=True,
        metavar="FILE",
        help="vectors to learn: files, or a shipped model such as default, whose words are read",
    )
    parser.add_argument(
        "--limit",
        type=whole_number(1),
        metavar="N",
        help="number of terms read from each target (all)",
    )
    parser.add_argument(
        "--float-out",
        metavar="FILE",
        type=output_file,
        help="also write the model with float32 weights",
    )
    parser.add_argument(
        "--weights",
        choices=("int8", "codebook", "float32"),
        default="int8",
        help="how the weights are stored: 8 bits each, codes of 4 bits each, or unchanged "
        "(%(default)s)",
    )
    parser.add_argument(
        "--preset",
        choices=tuple(PRESETS),
        default="tiny",
        help="values of the settings that are not given (%(default)s)",
    )
    add_run_options(parser)
    add_limits(parser)
    parser.set_defaults(preset_values=preset_values)
    title = "settings that change the preset (the defaults shown are those of tiny)"
    add_settings(parser, CharEmbSettings, options=("reads", "epochs", "seed"), title=title)


def preset_values(args: argparse.Namespace) -> dict[str, Any]:
    """The settings of the preset."""
    return asdict(PRESETS[args.preset])


def run(args: argparse.Namespace) -> int:
    """Train a model and print its record."""
    prepare_torch(args.device, args.threads)
    from pocketintent.training.charemb.pipeline import train_charemb

    record = train_charemb(
        args.target,
        args.out,
        read_settings(args, CharEmbSettings, **preset_values(args)),
        run_options(args),
        limit=args.limit,
        weights=args.weights,
        float_out=args.float_out,
        precision=args.precision,
        max_minutes=args.max_minutes,
    )
    print_record({"out": str(args.out), **record})
    return 0
