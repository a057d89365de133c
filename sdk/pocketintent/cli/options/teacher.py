"""Options of sentence encoders from local files: teachers."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

from pocketintent.cli.options.shared import add, refuse_options
from pocketintent.cli.options.types import whole_number
from pocketintent.runtime.encoders.contract import Encoder

_LOADING = ("max_tokens", "precision", "device", "threads")
"""Options of every teacher."""

_IN_FILES = (
    *("--join", "--embedding", "--layers", "--blueprints"),
    *("--tuning-epochs", "--tuning-rate", "--tuning-copies"),
)
_ADVICE = (
    "this is said by a file now, which the laboratory reads: --teacher FILE.toml "
    "(lab/docs/neural.md shows one)"
)


def add_teacher_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of :func:`read_teacher`, beside ``--teacher`` itself."""
    parser.set_defaults(moved_options=dict.fromkeys(_IN_FILES, _ADVICE))
    help = "largest number of tokens read of a text (%(default)s)"
    parser.add_argument("--max-tokens", type=whole_number(1), default=128, help=help)
    types = ("float32", "bfloat16")
    help = "number type of the weights of transformers (%(default)s)"
    add(parser, "--precision", choices=types, default="float32", help=help)
    add(parser, "--device", help="device of a transformer: cpu, cuda (%(default)s)")
    add(parser, "--threads", help="CPU threads of an ONNX graph (%(default)s)")


def check_without_teacher(args: argparse.Namespace) -> None:
    """Refuse options that have no effect without ``--teacher`` as bad usage, status 2."""
    refuse_options(args, _LOADING, "requires --teacher")


def read_teacher(path: Path, args: argparse.Namespace, texts: Iterable[str] = ()) -> Encoder:
    """The sentence encoder of a path, opened by :func:`load_teacher` as the options say."""
    from pocketintent.training.teachers.loader import load_teacher

    options = {name: getattr(args, name) for name in _LOADING}
    return load_teacher(path, **options, texts=texts)
