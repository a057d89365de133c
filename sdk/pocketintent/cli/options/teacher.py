"""Options of sentence encoders from local files: teachers, and neural embeddings by them."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pocketintent.cli.options.checks import Distinct, refuse_options
from pocketintent.cli.options.model import add_model_option, encoder_name, encoder_path
from pocketintent.cli.options.numbers import THREADS, whole_number
from pocketintent.cli.options.settings import add_settings, read_settings
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.shipped_models import find_model
from pocketintent.settings import list_settings
from pocketintent_lab.training.neural.settings import (
    BLUEPRINTS,
    FORMS,
    LAYERS,
    Blueprint,
    NeuralSettings,
    TuningSettings,
)

_LOADING = ("join", "max_tokens", "precision", "device", "threads")
"""Options of every teacher."""

_NEURAL = ("layers", "blueprints", *(setting.name for setting in list_settings(TuningSettings)))
"""Options of ``--embedding``."""


def add_encoder_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--model`` and ``--teacher``, which exclude each other, for :func:`read_encoder`."""
    add_model_option(parser)
    parser.add_argument(
        "--teacher",
        type=encoder_path,
        metavar="PATH",
        help="a sentence encoder in a local folder, in place of a model (docs/vectors.md)",
    )
    add_teacher_options(parser)


def add_teacher_options(parser: argparse.ArgumentParser, *, several: bool = False) -> None:
    """Add the options of :func:`read_teachers`, beside ``--teacher`` itself.

    Args:
        parser: The parser that gets the options.
        several: Whether ``--embedding`` may name several forms.
    """
    parser.add_argument(
        "--join",
        nargs="+",
        default=[],
        type=encoder_path,
        metavar="PATH",
        help="other encoders, such as default, whose vectors are appended to those of the teacher",
    )
    parser.add_argument(
        "--max-tokens",
        type=whole_number(1),
        default=128,
        metavar="N",
        help="largest number of tokens read of a text; with --embedding, longer texts are split "
        "by sentences (%(default)s)",
    )
    parser.add_argument(
        "--precision",
        choices=("float32", "bfloat16"),
        default="float32",
        help="number type of the weights of transformers (%(default)s)",
    )
    parser.add_argument(
        "--device", default="cpu", help="device of a transformer: cpu, cuda (%(default)s)"
    )
    parser.add_argument(
        "--threads",
        type=THREADS,
        default=1,
        metavar="N",
        help="CPU threads of an ONNX graph (%(default)s)",
    )
    parser.add_argument(
        "--embedding",
        action=Distinct if several else "store",
        choices=FORMS,
        nargs="+" if several else None,
        help="vectors by a masked language model as the teacher: what it learns from a text "
        "(neural), or its hidden states (docs/neural.md)",
    )
    parser.add_argument(
        "--layers",
        nargs="+",
        metavar="NAME",
        help=f"with --embedding: the layers that are tuned, {' or '.join(LAYERS)} or patterns of "
        "their names (head)",
    )
    default = " ".join(f"{shown},{masked}" for shown, masked in BLUEPRINTS)
    parser.add_argument(
        "--blueprints",
        nargs="+",
        type=_blueprint,
        metavar="K,M",
        help=f"with --embedding: masks of m tokens after each k tokens ({default})",
    )
    add_settings(parser, TuningSettings, title="micro-tuning (--embedding)")


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
    return read_teachers(args)[0][1]


def describe_encoder(args: argparse.Namespace) -> dict[str, str]:
    """What a report says of the encoder that :func:`read_encoder` has read.

    Returns:
        ``model``, its file or folder, with ``+`` before those of ``--join``; and ``embedding``,
        the form of the vectors, where one is given.
    """
    if args.teacher is None:
        return {"model": str(find_model(args.model))}
    report = {"model": "+".join(map(str, [args.teacher, *args.join]))}
    return report if args.embedding is None else report | {"embedding": args.embedding}


def check_without_teacher(args: argparse.Namespace) -> None:
    """Refuse options that have no effect without ``--teacher`` as bad usage, status 2."""
    refuse_options(args, (*_LOADING, "embedding", *_NEURAL), "requires --teacher")


def read_teachers(args: argparse.Namespace, texts: Iterable[str] = ()) -> list[tuple[str, Encoder]]:
    """The encoders of ``--teacher``, one for each form of ``--embedding``, with their names.

    The name of an encoder with ``--join`` is that of its parts, with ``+`` between them.

    Args:
        args: The parsed arguments.
        texts: Texts on which the IDF of a multi-resolution ensemble is counted.

    Raises:
        PocketIntentError: The options do not fit each other, or the teacher cannot be used.
    """
    from pocketintent.training.teachers.loader import load_teacher
    from pocketintent_lab.training.multires.encoder import load_ensemble
    from pocketintent_lab.training.teachers.concatenated import ConcatenatedEncoder

    def load(path: Path, **options: Any) -> Encoder:
        if path.suffix == ".json" and not options.get("neural"):
            return load_ensemble(path, texts)
        return load_teacher(
            path, device=args.device, threads=args.threads, max_tokens=args.max_tokens, **options
        )

    forms = args.embedding if isinstance(args.embedding, list) else [args.embedding]
    if forms == [None]:
        refuse_options(args, _NEURAL, "requires --embedding")
        named = [(encoder_name(args.teacher), load(args.teacher, precision=args.precision))]
    else:
        if args.precision != "float32":
            raise PocketIntentError("--embedding requires --precision float32")
        named = [(form, load(args.teacher, neural=_settings(args, form))) for form in forms]
    if not args.join:
        return named
    others = [load(path, precision=args.precision) for path in args.join]
    return [
        ("+".join([name, *map(encoder_name, args.join)]), ConcatenatedEncoder([encoder, *others]))
        for name, encoder in named
    ]


def _settings(args: argparse.Namespace, form: Any) -> NeuralSettings:
    return NeuralSettings(
        form,
        tuple(args.layers or NeuralSettings.layers),
        tuple(args.blueprints or BLUEPRINTS),
        read_settings(args, TuningSettings),
    )


def _blueprint(text: str) -> Blueprint:
    try:
        return Blueprint.parse(text)
    except PocketIntentError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
