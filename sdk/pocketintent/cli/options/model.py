"""The option ``--model``, which all commands that use a model share."""

from __future__ import annotations

import argparse
from pathlib import Path

from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.files.shipped_models import DEFAULT, bundled_models, find_model

MODEL_HELP = f"a model file, or the name of a shipped model: {', '.join(bundled_models())}"


def add_model_option(parser: argparse.ArgumentParser, more: str = "") -> None:
    """Add ``--model``, one model; None when it is absent, which stands for the default one.

    Args:
        parser: What gets the option.
        more: What else it may name.
    """
    parser.add_argument("--model", metavar="MODEL", help=f"{MODEL_HELP}{more} ({DEFAULT})")


def model_file(text: str) -> Path:
    """A type of argument: the file that a path or the name of a shipped model stands for."""
    try:
        return find_model(text)
    except ModelFileError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def vectors_file(text: str) -> Path:
    """A type of argument: a file of vectors, or the name of a shipped model."""
    path = Path(text)
    return path if path.exists() else bundled_models().get(text, path)
