"""Options and argument types for models and files of vectors."""

from __future__ import annotations

import argparse
from pathlib import Path

from pocketintent.cli.options.types import PathType, input_file, input_path
from pocketintent.runtime.errors import ModelFileError, PocketIntentError
from pocketintent.runtime.files.model_file import BOT, load_model
from pocketintent.runtime.files.shipped_models import bundled_models, find_model
from pocketintent.runtime.templates.files import BOT_SUFFIX

MODEL_HELP = f"a model file, or the name of a shipped model: {', '.join(bundled_models())}"


def model_file(text: str) -> Path:
    """Argument type: the file of a model, from its path or the name of a shipped model."""
    try:
        return find_model(text)
    except ModelFileError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def check_model_name(args: argparse.Namespace, content: str = "a model file") -> None:
    """Refuse an ``--out`` that is not named as model files are; bad usage, status 2.

    A slip, such as the name of a template file or of a corpus, then overwrites nothing.
    """
    if not str(args.out).lower().endswith(BOT_SUFFIX):
        args.parser.error(f"--out {args.out}: the name of {content} ends in {BOT_SUFFIX}")


def refuse_bot_files(*paths: Path) -> None:
    """Raise PocketIntentError for a bot file, whose bot a new model would not have."""
    for path in paths:
        if BOT in load_model(path).manifest:
            raise PocketIntentError(
                f"{path} is a bot file, and its templates would be lost; give the model that it "
                "was built from, and build the bot again. For a smaller bot: pocketintent build "
                f"{path} --max-words N --out smaller.safetensors"
            )


vectors_file = PathType(input_file.problem, shipped=bundled_models)
"""Argument type: a file of vectors, or the file of a shipped model from its name."""

encoder_path = PathType(input_path.problem, "PATH", bundled_models)
"""Argument type: the file or folder of a sentence encoder, or the name of a shipped model."""


def encoder_name(path: Path) -> str:
    """What a report calls the encoder of a path: a shipped model by its name."""
    shipped = {file: name for name, file in bundled_models().items()}
    return shipped.get(path, str(path))
