"""The package of the core in C: whether it is installed, and opening a bot file with it."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from pocketintent.runtime.errors import MissingExtraError, PocketIntentError, install_command

PACKAGE = "pocketintent_native"
VERSION = "0.1.0"
"""The version that fits: this one's."""
INSTALL = install_command(folder="./sdk/native/python")


def find_package() -> Any:
    """The module of the package.

    MissingExtraError if it is not installed, cannot be loaded, or has another version: the two are
    released together, and give the same answers.
    """
    try:
        package = import_module(PACKAGE)
    except ModuleNotFoundError as error:
        if error.name != PACKAGE:
            raise
        raise MissingExtraError(
            f"the backend native needs the package pocketintent-native: {INSTALL}"
        ) from error
    except ImportError as error:
        raise MissingExtraError(f"the backend native cannot be used: {error}") from error
    if package.__version__ != VERSION:
        raise MissingExtraError(
            f"pocketintent-native {package.__version__} does not fit pocketintent "
            f"{VERSION}; install the same version: {INSTALL}"
        )
    return package


def describe_backend() -> str:
    """The backend that ``auto`` takes in this installation, for people: ``numpy`` or ``native``."""
    try:
        find_package()
    except MissingExtraError as error:
        is_there = not isinstance(error.__cause__, ModuleNotFoundError)
        return f"numpy; {error}" if is_there else "numpy"
    return "native"


def check_kind(package: Any, kind: str) -> None:
    """PocketIntentError for a kind of model that the core does not run."""
    if kind not in package.KINDS:
        raise PocketIntentError(
            f"the backend native does not run models of kind {kind!r}, but {_list(package.KINDS)}; "
            "take the backend numpy, or auto, which chooses"
        )


def open_core(package: Any, content: Any, name: str) -> Any:
    """The core's bot of a bot file's content, a buffer that stays as it is.

    PocketIntentError, which names the bot, if the core refuses it.
    """
    data = np.frombuffer(content, np.uint8)  # its address; the array keeps the buffer
    try:
        return package.NativeBot.from_memory(data.ctypes.data, data.size, data)
    except package.NativeError as error:
        raise PocketIntentError(f"the backend native cannot run {name}: {error}") from error


def _list(names: tuple[str, ...]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"
