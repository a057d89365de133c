"""The errors a user can cause, and the import of optional packages."""

from __future__ import annotations

import importlib
from types import ModuleType


class PocketIntentError(ValueError):
    """Bad input. The message names the file and the place, and says what to do."""


class ModelFileError(PocketIntentError):
    """A model file is missing, foreign, truncated, altered or too new."""


class TemplateError(PocketIntentError):
    """A template file or an edit of a template set breaks the format."""


class MissingExtraError(PocketIntentError, ImportError):
    """An optional package that a capability needs is not installed."""


def require(module: str, extra: str) -> ModuleType:
    """Import an optional package where it is used.

    Args:
        module: Dotted name of the module, for example ``"torch"``.
        extra: The extra of ``pocketintent`` that installs it.

    Returns:
        The imported module.

    Raises:
        MissingExtraError: The module is not installed. The message has the command that
            installs it.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not module.startswith(error.name):
            raise
        raise MissingExtraError(
            f"this needs the package {module.partition('.')[0]!r}, which is not installed: "
            f'pip install "pocketintent[{extra}]"'
        ) from error
