"""The registry of encoder kinds: which class reads a model file of which kind."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TypeVar

from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.errors import ModelFileError, PocketIntentError
from pocketintent.runtime.files.model_file import load_model
from pocketintent.runtime.files.shipped_models import find_model

EncoderT = TypeVar("EncoderT", bound=ModelEncoder)

_KINDS: dict[str, str | type[ModelEncoder]] = {
    "static": "pocketintent.runtime.encoders.static:StaticEncoder",
    "charemb": "pocketintent.runtime.encoders.charemb.encoder:CharEncoder",
    "combined": "pocketintent.runtime.encoders.combined.encoder:CombinedEncoder",
}
"""Classes by the manifest's ``kind``; a name is imported when a model of its kind is opened."""


def register(encoder_class: type[EncoderT]) -> type[EncoderT]:
    """Make a kind known, under the class's ``kind``; usable as a decorator."""
    _KINDS[encoder_class.kind] = encoder_class
    return encoder_class


def encoder_class(kind: str) -> type[ModelEncoder]:
    """The class of a kind.

    Raises:
        ModelFileError: No kind of this name is registered.
    """
    entry = _KINDS.get(kind)
    if entry is None:
        raise ModelFileError(
            f"encoders of kind {kind!r} are not known here; known: {', '.join(sorted(_KINDS))}"
        )
    if isinstance(entry, str):
        module, _, name = entry.partition(":")
        entry = _KINDS[kind] = getattr(import_module(module), name)
    return entry


def load_encoder(path: str | os.PathLike[str] | None = None) -> ModelEncoder:
    """Open a model file as an encoder.

    Args:
        path: A model file, or the name of a shipped model such as ``"robust"``; the default
            model when None.

    Returns:
        The encoder of the kind that the file names.

    Raises:
        ModelFileError: The file is missing, damaged, of an unknown kind, or its parts do not
            fit each other.
    """
    model = load_model(find_model(path))
    try:
        return encoder_class(model.manifest["kind"]).from_model_file(model)
    except PocketIntentError as error:
        raise ModelFileError(f"{model.path}: {error}") from error


def load_kind(path: str | os.PathLike[str], wanted: type[EncoderT]) -> EncoderT:
    """Open a model file that must be of one kind.

    Args:
        path: As for :func:`load_encoder`.
        wanted: The class of the kind.

    Raises:
        ModelFileError: As for :func:`load_encoder`.
        PocketIntentError: The model is of another kind.
    """
    encoder = load_encoder(path)
    if not isinstance(encoder, wanted):
        raise PocketIntentError(
            f"{path}: a model of kind {encoder.kind!r}; this needs one of kind {wanted.kind!r}"
        )
    return encoder
