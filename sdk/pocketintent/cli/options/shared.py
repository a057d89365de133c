"""The options that several commands share, by name, and what the commands do with their values."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, get_args

from pocketintent.cli.options.model import MODEL_HELP, encoder_path, vectors_file
from pocketintent.cli.options.settings import option_name
from pocketintent.cli.options.types import (
    SEED,
    file_name,
    given_twice,
    input_file,
    input_folder,
    number,
    output_file,
    plot_file,
    whole_number,
)
from pocketintent.runtime.decision.registry import DECISIONS, DEFAULT_DECISION
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.shipped_models import DEFAULT, find_model
from pocketintent.runtime.index.building import Search
from pocketintent.runtime.text.languages import check_language

if TYPE_CHECKING:
    from pathlib import Path

    from pocketintent.recognizer import IntentRecognizer
    from pocketintent.runtime.encoders.contract import Encoder

TEMPLATES_HELP = "template file (JSON), name of a shipped set, or bot file, which has its model"


def _language(tag: str) -> str:
    try:
        return check_language(tag)
    except PocketIntentError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


OPTIONS: dict[str, dict[str, Any]] = {
    "templates": {"type": file_name, "metavar": "FILE", "help": TEMPLATES_HELP},
    "--templates": {"type": file_name, "metavar": "FILE", "help": TEMPLATES_HELP},
    "directories": {
        "type": input_folder,
        "nargs": "+",
        "metavar": "DIR",
        "help": 'folder with train.jsonl and test.jsonl, lines of {"text", "intent"}',
    },
    "--model": {"metavar": "MODEL", "help": f"{MODEL_HELP} (default: the model {DEFAULT!r})"},
    "--out": {"type": output_file, "required": True},
    "--json": {"action": "store_true", "help": "print JSON without the text on stderr"},
    "--plot": {"type": plot_file, "metavar": "FILE.png"},
    # How a bot recognises: None without the option.
    "--search": {
        "choices": get_args(Search),
        "help": "compare with codes of the templates, or exactly (table, or that of a bot file)",
    },
    "--decision": {
        "choices": DECISIONS,
        "help": "how an intent is scored: logistic, by the probability that a classifier gives it; "
        "nearest, by its nearest template; nearest+centroid, by the mean of that and the "
        f"similarity to the mean of its templates ({DEFAULT_DECISION}, or that of a bot file)",
    },
    "--no-correction": {
        "dest": "correct",
        "action": "store_false",
        "default": None,
        "help": "read an unknown word as it is, and not as the known word within one typing error "
        "(corrected, or as a bot file says)",
    },
    "--threshold": {
        "type": number(least=-1.0, most=1.0),
        "help": "lowest score of a match, for intents without their own (that of the templates)",
    },
    "--margin": {
        "type": number(least=0.0, most=2.0),
        "help": "smallest lead over the next intent (that of the templates)",
    },
    # How a model is measured.
    "--split": {
        "choices": ("test", "valid"),
        "default": "test",
        "help": "utterances (%(default)s)",
    },
    "--no-names": {
        "dest": "learn_names",
        "action": "store_false",
        "help": "the decision logistic does not learn the intents' names",
    },
    "--runs": {"type": whole_number(1), "help": "random draws of templates (%(default)s)"},
    "--seed": {"type": SEED, "default": 0, "help": "seed of the draws (%(default)s)"},
    # How a model is trained.
    "--corpus": {"type": input_file, "nargs": "+", "help": "texts to train on"},
    "--targets": {
        "type": vectors_file,
        "nargs": "+",
        "required": True,
        "help": "texts with their vectors, written by `train targets`",
    },
    "--texts": {"type": input_file, "nargs": "+", "default": []},
    "--language": {
        "dest": "languages",
        "type": _language,
        "action": "append",
        "default": [],
        "metavar": "TAG",
        "help": "language of the texts, such as en or pt-BR, to which templates are compared; "
        "repeat the option for several",
    },
    "--device": {"default": "cpu", "help": "cpu, cuda, cuda:1 … (%(default)s)"},
    "--threads": {"type": whole_number(1, 1024), "default": 1, "help": "CPU threads (%(default)s)"},
    "--precision": {
        "choices": ("auto", "float32", "bfloat16", "float16"),
        "default": "auto",
        "help": "precision of the products; auto is half precision on a GPU (%(default)s)",
    },
    "--resume": {"action": "store_true", "help": "continue an unfinished run"},
    "--restart": {"action": "store_true", "help": "delete an unfinished run and start again"},
    "--max-minutes": {
        "type": number(above=0),
        "help": "end training, and the fall of its learning rate, after this many minutes",
    },
}
"""Arguments of ``add_argument``; the metavar of a number or a path follows from its type."""

RECOGNITION = ("--decision", "--no-correction")
LIMITS = ("--threshold", "--margin")

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


def add(parser: Any, *names: str, **changes: Any) -> None:
    """Add options of :data:`OPTIONS` to a parser or a group.

    ``changes`` are arguments of ``add_argument`` that differ, such as ``help``.
    """
    for name in names:
        parser.add_argument(name, **OPTIONS[name] | changes)


def set_limits(recognizer: IntentRecognizer, args: argparse.Namespace) -> None:
    """Give a recogniser the ``--threshold`` and ``--margin`` of the command line."""
    if args.threshold is not None:
        recognizer.threshold = args.threshold
    if args.margin is not None:
        recognizer.margin = args.margin


def refuse_options(args: argparse.Namespace, names: Iterable[str], reason: str) -> None:
    """Refuse options that have no effect, unless they have their default; bad usage, status 2.

    ``names`` are those in ``args``, and the message has the ``reason``: ``"requires --teacher"``.
    """
    for name in names:
        if vars(args).get(name) != args.parser.get_default(name):
            args.parser.error(f"{option_name(name)} {reason}")


def add_encoder_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of :func:`read_encoder`."""
    add(parser, "--model")
    parser.add_argument(
        "--teacher",
        type=encoder_path,
        help="a sentence encoder in a local folder or file, in place of a model (docs/distil.md)",
    )
    add_teacher_options(parser)


def read_encoder(args: argparse.Namespace) -> tuple[Encoder, Path]:
    """The encoder to measure, ``--model`` or ``--teacher``, and its file or folder."""
    from pocketintent.runtime.encoders.registry import load_encoder

    if args.teacher is None:
        check_without_teacher(args)
        return load_encoder(args.model), find_model(args.model)
    if args.model is not None:
        raise PocketIntentError("--model and --teacher exclude each other")
    return read_teacher(args.teacher, args), args.teacher


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


class Distinct(argparse.Action):
    """Action of an option of several values, which refuses a value that is given twice."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option: str | None = None) -> None:
        """Store the values of the option, a list."""
        if problem := given_twice(values):
            raise argparse.ArgumentError(self, problem)
        setattr(namespace, self.dest, values)
