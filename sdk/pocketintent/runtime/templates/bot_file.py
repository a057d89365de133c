"""The template set of a bot file: the long form of its JSON, as a tensor."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from pocketintent.runtime.errors import ModelFileError, PocketIntentError, shorten
from pocketintent.runtime.files.model_file import BOT, ModelFile, is_model_file
from pocketintent.runtime.templates.template_set import TemplateSet, parse_templates

SUFFIX = ".safetensors"
"""End of the name of a bot file, by which a recogniser saves itself whole."""

TEMPLATES = "templates"
"""Name of the tensor, below the prefix of the bot."""


def find_bot_file(source: object) -> Path | None:
    """The path of a source of templates that is a bot file, or any model file, by its content.

    Args:
        source: See :data:`TemplateSource`.

    Returns:
        The path; None if the source is not a path to such a file.
    """
    if not isinstance(source, str | os.PathLike):
        return None
    return Path(source) if is_model_file(source) else None


def choose_model(
    source: object, model: str | os.PathLike[str] | None
) -> str | os.PathLike[str] | None:
    """The model to use with a source of templates: a bot file has its own.

    Args:
        source: See :data:`TemplateSource`.
        model: The model that the user names; None if none is named.

    Returns:
        The bot file, if the source is one; otherwise ``model``.

    Raises:
        PocketIntentError: The source is a bot file or a model file, and ``model`` is named too.
    """
    path = find_bot_file(source)
    if path is None:
        return model
    if model is not None:
        raise PocketIntentError(
            f"{path} is given as a bot file, which contains its model, but the model {model} is "
            "given too; leave out the model, or give the templates as JSON"
        )
    return path


def templates_tensor(template_set: TemplateSet) -> dict[str, NDArray[Any]]:
    """The tensor ``templates``, uint8 [num_bytes]: the long form of the set as JSON in UTF-8.

    Raises:
        TemplateError: The set breaks the format.
    """
    checked = parse_templates(template_set.to_dict(), "template set")
    return {TEMPLATES: np.frombuffer(orjson.dumps(checked.to_dict()), np.uint8)}


def read_form(model: ModelFile) -> Any:
    """The decoded JSON of a bot file's templates, not checked against the format.

    Raises:
        ModelFileError: The file is not a bot file, or the tensor is damaged.
    """
    if BOT not in model.manifest:
        raise ModelFileError(
            f"{model.path} is a model without templates; make a bot file of it: pocketintent build "
            f"my_bot.json --model {model.path} --out my_bot.safetensors"
        )
    name = f"{BOT}.{TEMPLATES}"
    tensor = model.tensors.get(name)
    if tensor is None or tensor.dtype != np.uint8 or tensor.ndim != 1:
        raise ModelFileError(f"{model.path}: {name} is missing or not uint8 [num_bytes]")
    try:
        return orjson.loads(tensor.tobytes())
    except orjson.JSONDecodeError as error:
        raise ModelFileError(f"{model.path}: {name} is not JSON: {error}") from error


def read_bot_templates(model: ModelFile) -> TemplateSet:
    """The template set of a bot file.

    Raises:
        ModelFileError: The file is not a bot file, or the tensor is damaged.
        TemplateError: The templates break the format.
    """
    form = read_form(model)
    # The long form alone is written; the short forms would be read too, but not by other runtimes.
    if not isinstance(form, Mapping) or not isinstance(form.get("intents"), Mapping):
        raise ModelFileError(
            f"{model.path}: {BOT}.{TEMPLATES} is {shorten(form)}; the long form is expected"
        )
    return parse_templates(form, str(model.path))
