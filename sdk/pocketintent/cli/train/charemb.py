"""``pocketintent train charemb``: learn vectors from their terms' characters."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from pocketintent.cli.options.model import vectors_file
from pocketintent.cli.options.settings import add_settings
from pocketintent.cli.options.training import (
    add_resume_options,
    add_torch_options,
    command_line,
    print_record,
)
from pocketintent.cli.output import print_note
from pocketintent.training.charemb.settings import PRESETS, CharEmbSettings, preset_settings
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
vectors. Stop a run at any time; --resume goes on with it and gives the model of an unbroken
run."""

_HELP = {
    "cell": "what reads the characters",
    "char_dim": "dimension of a character's embedding",
    "hidden": "state of one direction, or width of the transformer",
    "layers": "layers on each other",
    "bidirectional": "read from both ends",
    "mlp": "width of the layer between the last states and the vector",
    "heads": "attention heads of a transformer",
    "dropout": "share of numbers dropped in training",
    "reads": "what the encoder reads at once: a whole text, or each of its words, whose vectors "
    "are then added up",
    "max_chars": "characters of a text that are read",
    "min_char_count": "characters of fewer terms become the unknown one",
    "learning_rate": "of Adam",
    "schedule": "the learning rate stays, or falls linearly to zero over all epochs",
    "weight_decay": "of Adam",
    "clip": "longer gradients are cut to this length",
    "batch_size": "terms of a step",
    "epochs": "passes over the terms at most",
    "patience": "epochs without a better validation cosine after which training ends; 0: never",
    "validation": "share of the terms that are kept out of training",
    "typing_errors": "share of the terms of a step that are misspelt",
    "unknown": "share of the characters of a step that are made unknown",
    "norm_weight": "weight of learning the vectors' lengths; 0 does not learn them",
    "rank_power": "a term is drawn by its rank in the target to minus this power; 0: once an epoch",
    "seed": "one seed gives one model on one device",
}


def add_parser(methods: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the method ``charemb`` to ``train``."""
    parser = methods.add_parser(
        "charemb",
        help="vectors of any text from its characters, learnt from a table of vectors",
        description="Train a character network to give the terms of a table their vectors; "
        "prints the run's record as JSON.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    parser.add_argument(
        "--target",
        type=vectors_file,
        nargs="+",
        required=True,
        metavar="FILE",
        help="vectors to learn: files, or a shipped model of words such as default",
    )
    parser.add_argument("--limit", type=int, metavar="N", help="terms of each target (all)")
    parser.add_argument("--out", required=True, metavar="FILE", type=Path, help="model to write")
    parser.add_argument(
        "--float-out", metavar="FILE", type=Path, help="write it with float32 weights too"
    )
    parser.add_argument(
        "--weights",
        choices=("int8", "codebook", "float32"),
        default="int8",
        help="how the model's weights are stored: 8 bits a number, codes of 4 bits a number, "
        "or as they are (%(default)s)",
    )
    parser.add_argument("--preset", choices=tuple(PRESETS), default="tiny", help="(%(default)s)")
    parser.add_argument(
        "--precision",
        choices=("auto", "float32", "bfloat16", "float16"),
        default="auto",
        help="of the products; auto is half precision on a GPU (%(default)s)",
    )
    add_torch_options(parser)
    parser.add_argument("--max-minutes", type=float, metavar="X", help="training ends after these")
    add_resume_options(parser)
    # What is not given is the preset's.
    title = "settings, beside those of the preset (tiny's are shown)"
    add_settings(parser, CharEmbSettings, _HELP, title=title, preset=True)


def run(args: argparse.Namespace) -> int:
    """Train a model and print its record."""
    from pocketintent.runtime.errors import PocketIntentError

    prepare_torch(args.device, args.threads)
    from pocketintent.training.charemb.pipeline import train_charemb

    for name in ("limit", "max_minutes"):
        value = getattr(args, name)
        if value is not None and not value > 0:
            option = name.replace("_", "-")
            raise PocketIntentError(f"--{option} must be above 0, not {value}")
    for name in ("out", "float_out"):
        path = getattr(args, name)
        if path is not None and not path.absolute().parent.is_dir():
            option = name.replace("_", "-")
            raise PocketIntentError(f"--{option} {path}: there is no folder {path.parent}")
    record = train_charemb(
        args.target,
        args.out,
        preset_settings(args.preset, vars(args)),
        limit=args.limit,
        weights=args.weights,
        float_out=args.float_out,
        device=args.device,
        precision=args.precision,
        max_minutes=args.max_minutes,
        resume=args.resume,
        restart=args.restart,
        command=command_line(sys.argv[1:]),
        report=print_note,
    )
    print_record({"out": str(args.out), **record})
    return 0
