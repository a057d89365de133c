"""Options of sentence encoders from local files: teachers."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

from pocketintent.cli.options.model import encoder_path
from pocketintent.cli.options.numbers import whole_number
from pocketintent.cli.options.shared import add, refuse_options
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.shipped_models import find_model

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


def add_encoder_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--model`` and ``--teacher``, which exclude each other, for :func:`read_encoder`."""
    add(parser, "--model")
    parser.add_argument(
        "--teacher",
        type=encoder_path,
        help="a sentence encoder in a local folder or file, in place of a model (docs/distil.md)",
    )
    add_teacher_options(parser)


def add_teacher_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of :func:`read_teacher`, beside ``--teacher`` itself."""
    parser.set_defaults(moved_options=dict.fromkeys(_IN_FILES, _ADVICE))
    parser.add_argument(
        "--max-tokens",
        type=whole_number(1),
        default=128,
        help="largest number of tokens read of a text (%(default)s)",
    )
    add(
        parser,
        "--precision",
        choices=("float32", "bfloat16"),
        default="float32",
        help="number type of the weights of transformers (%(default)s)",
    )
    add(parser, "--device", help="device of a transformer: cpu, cuda (%(default)s)")
    add(parser, "--threads", help="CPU threads of an ONNX graph (%(default)s)")


def read_encoder(args: argparse.Namespace) -> Encoder:
    """The encoder of ``--model`` or ``--teacher``; the default model if neither is given.

    An option that requires ``--teacher`` is bad usage, status 2.

    Raises:
        PocketIntentError: Both are given.
    """
    from pocketintent.runtime.encoders.registry import load_encoder

    if args.teacher is None:
        check_without_teacher(args)
        return load_encoder(args.model)
    if args.model is not None:
        raise PocketIntentError("--model and --teacher exclude each other")
    return read_teacher(args.teacher, args)


def describe_encoder(args: argparse.Namespace) -> dict[str, str]:
    """What a report says of the encoder that :func:`read_encoder` has read: ``model``, its file."""
    return {"model": str(find_model(args.model) if args.teacher is None else args.teacher)}


def check_without_teacher(args: argparse.Namespace) -> None:
    """Refuse options that have no effect without ``--teacher`` as bad usage, status 2."""
    refuse_options(args, _LOADING, "requires --teacher")


def read_teacher(path: Path, args: argparse.Namespace, texts: Iterable[str] = ()) -> Encoder:
    """The sentence encoder of a path, opened as the options say.

    Args:
        path: A value of ``--teacher``.
        args: The parsed arguments.
        texts: Texts that a teacher may count words in.

    Raises:
        PocketIntentError: The teacher cannot be used.
    """
    from pocketintent.training.teachers.loader import load_teacher

    options = {name: getattr(args, name) for name in _LOADING}
    return load_teacher(path, **options, texts=texts)
