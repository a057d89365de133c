"""The errors a user can cause, the import of optional packages, and how to install them."""

from __future__ import annotations

import importlib
import reprlib
from collections.abc import Iterable
from types import ModuleType

MAX_MESSAGE = 2000
"""Most characters of a message."""

_LONG_BITS = 10_000
_REPR = reprlib.Repr()
_REPR.maxstring = _REPR.maxother = _REPR.maxlong = 80


class PocketIntentError(ValueError):
    """Bad input. The message names the file and the place, and says what to do.

    A hostile value in it is cut out of the middle beyond ``MAX_MESSAGE`` characters.
    """

    def __init__(self, message: object = "") -> None:
        text = str(message)
        if len(text) > MAX_MESSAGE:
            half = MAX_MESSAGE // 2
            text = f"{text[:half]} [...] {text[-half:]}"
        super().__init__(text)


class ModelFileError(PocketIntentError):
    """A model file is missing, foreign, truncated, altered or too new."""


class TemplateError(PocketIntentError):
    """A template file or an edit of a template set breaks the format."""


class MissingExtraError(PocketIntentError, ImportError):
    """An optional package that a capability needs is not installed."""


class PocketIntentWarning(UserWarning):
    """Input that works and is probably a mistake. The message says what to do."""


def shorten(value: object) -> str:
    """A value for a message, as ``repr`` writes it but of at most some 80 characters."""
    if isinstance(value, int) and value.bit_length() > _LONG_BITS:
        return f"a whole number of {value.bit_length()} bits"  # Python refuses to write it
    return _REPR.repr(value)


def list_names(names: Iterable[str]) -> str:
    """Names in alphabetical order for a message, or "none"."""
    return ", ".join(sorted(names)) or "none"


UPGRADE = "upgrade pocketintent: install a later checkout or wheel"
"""What to do about a file that is too new. Like :func:`install_command`, it is worded for a package
that is on no index; change both, and nothing else, on the day it is published."""


def check_version(version: object, newest: int, owner: str) -> None:
    """Raise ModelFileError for the version of a format that is none, or newer than ``newest``.

    ``owner`` is what has the version, such as ``"the bot"``.
    """
    if type(version) is not int or version < 1:
        wanted = f"version {shorten(version)}; it must be a whole number from 1"
        raise ModelFileError(f"{owner} has {wanted}")
    if version > newest:
        raise ModelFileError(
            f"{owner} has version {shorten(version)}; this version of pocketintent reads up to "
            f"{newest}; {UPGRADE}"
        )


def install_command(extra: str = "", folder: str = ".") -> str:
    """The command that installs an extra, such as ``"export"``, or the package alone.

    ``folder`` is that of the distribution in a checkout.
    """
    brackets = f"[{extra}]" if extra else ""
    return (
        f'pip install "{folder}{brackets}" in a checkout, or pip install "FILE.whl{brackets}" with '
        "a wheel"
    )


def require(module: str, extra: str, folder: str = ".") -> ModuleType:
    """Import an optional module, such as ``"torch"``, where it is used.

    Raises MissingExtraError, with the :func:`install_command` of the extra, if it is not installed.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not module.startswith(error.name):
            raise
        raise MissingExtraError(
            f"this needs the package {module.partition('.')[0]!r}, which is not installed: "
            f"{install_command(extra, folder)}"
        ) from error
