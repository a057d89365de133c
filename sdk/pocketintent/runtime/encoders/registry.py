"""The registry of encoder kinds: the class for each ``kind`` of model file.

A new kind of this package is a line in ``_KINDS``. Another distribution names its class in an entry
point of the group ``pocketintent.encoders``, or calls :func:`register`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TypeVar

from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.errors import ModelFileError, PocketIntentError
from pocketintent.runtime.files.model_file import BOT, ModelFile, load_model
from pocketintent.runtime.files.shipped_models import find_model
from pocketintent.runtime.text.languages import read_languages

EncoderT = TypeVar("EncoderT", bound=ModelEncoder)

_KINDS: dict[str, str | type[ModelEncoder]] = {
    "static": "pocketintent.runtime.encoders.static:StaticEncoder",
    "charemb": "pocketintent.runtime.encoders.charemb.encoder:CharEncoder",
    "combined": "pocketintent.runtime.encoders.combined:CombinedEncoder",
    "contextual": "pocketintent.runtime.encoders.contextual.encoder:ContextualEncoder",
    "transformer": "pocketintent.runtime.encoders.transformer.encoder:TransformerEncoder",
}
"""Classes, or their import paths, by the manifest's ``kind``; a path is imported on first use."""

GROUP = "pocketintent.encoders"
"""Entry points of other distributions: an encoder class by its ``kind``."""

_DAMAGE = (ArithmeticError, AttributeError, LookupError, MemoryError, TypeError, ValueError)
"""Errors that a file can cause in the code of a kind that lacks a check of its own."""


def register(encoder_class: type[EncoderT]) -> type[EncoderT]:
    """Register an encoder class under its ``kind``; also usable as a decorator."""
    _KINDS[encoder_class.kind] = encoder_class
    return encoder_class


def encoder_class(kind: str) -> type[ModelEncoder]:
    """The class of a kind; an unknown kind is a ModelFileError."""
    entry = _KINDS.get(kind)
    if entry is None:
        from pocketintent.runtime.plugins import installed_plugins

        plugins = installed_plugins(GROUP)
        if kind not in plugins:
            raise ModelFileError(
                f"unknown encoder kind {kind!r}; the known kinds are "
                f"{', '.join(sorted(_KINDS | plugins))}. The kinds of papers come with the "
                "laboratory of pocketintent"
            )
        entry = _KINDS[kind] = plugins[kind].load()
    if isinstance(entry, str):
        module, _, name = entry.partition(":")
        entry = _KINDS[kind] = getattr(import_module(module), name)
    return entry


def load_encoder(path: str | os.PathLike[str] | None = None) -> ModelEncoder:
    """Open a model file as an encoder, of the class that is registered for its kind.

    ``path`` may also be the name of a shipped model such as ``"tiny"``; None is the default one.
    ModelFileError if the file is missing or damaged, or of an unknown kind.
    """
    return encoder_of(load_model(find_model(path)))


def encoder_of(model: ModelFile) -> ModelEncoder:
    """The encoder of an open model file, without anything of a bot; see :func:`load_encoder`."""
    kind = model.manifest["kind"]
    with naming_damage(model, f"model of kind {kind!r}"):
        read_languages(model.manifest)  # checked here, since no kind reads them
        return encoder_class(kind).from_model_file(model.without(BOT))


@contextmanager
def naming_damage(model: ModelFile, content: str) -> Iterator[None]:
    """Turn the errors of a damaged file into ModelFileErrors that name it and its content."""
    try:
        yield
    except PocketIntentError as error:
        raise ModelFileError(f"{model.path}: {error}") from error
    except _DAMAGE as error:
        reason = f"its parts do not make a {content}: {type(error).__name__}: {error}"
        raise ModelFileError(f"{model.path}: {reason}") from error


def load_kind(path: str | os.PathLike[str], expected: type[EncoderT]) -> EncoderT:
    """:func:`load_encoder` of a kind, given by its class; PocketIntentError for another kind."""
    encoder = load_encoder(path)
    if not isinstance(encoder, expected):
        raise PocketIntentError(
            f"{path}: this is a model of kind {encoder.kind!r}, but a model of kind "
            f"{expected.kind!r} is required"
        )
    return encoder
