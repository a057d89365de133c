"""Checks of the arguments of public functions."""

from __future__ import annotations

import os
from numbers import Integral, Real

from pocketintent.runtime.errors import PocketIntentError, shorten

MAX_SEED = 2**32 - 1
"""Largest seed that every generator of random numbers accepts."""


def check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    """Raise PocketIntentError for a value that is not one of the choices."""
    if value not in choices:
        raise PocketIntentError(f"{name} {value!r} is not one of {', '.join(choices)}")


def check_flag(name: str, value: object) -> None:
    """Raise PocketIntentError for a value that is neither True nor False."""
    if not isinstance(value, bool):
        raise PocketIntentError(f"{name} must be True or False, not {value!r}")


def check_count(name: str, value: object, least: int = 1, most: int | None = None) -> None:
    """Raise PocketIntentError for a value that is not a whole number within limits."""
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not is_whole or value < least or (most is not None and value > most):  # type: ignore[operator]
        limits = f"from {least}" if most is None else f"from {least} to {most}"
        raise PocketIntentError(f"{name} must be a whole number {limits}, not {shorten(value)}")


def check_range(name: str, value: object, low: float, high: float) -> None:
    """Raise PocketIntentError unless a value is a number within limits; NaN is not."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or not low <= value <= high:  # type: ignore[operator]
        raise PocketIntentError(f"{name} must be a number from {low:g} to {high:g}, not {value!r}")


def check_path(name: str, value: object) -> None:
    """Raise PocketIntentError for a value that no file or folder can have as its path."""
    is_path = isinstance(value, str | os.PathLike) and os.fspath(value) != ""
    try:
        if is_path:
            os.lstat(value)  # type: ignore[arg-type]
    except OSError:
        pass  # nothing is there yet
    except ValueError:  # a NUL or a lone surrogate
        is_path = False
    if not is_path:
        raise PocketIntentError(f"{name} must be a path, not {shorten(value)}")
