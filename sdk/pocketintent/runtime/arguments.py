"""Checks of the arguments of public functions."""

from __future__ import annotations

from numbers import Integral, Real

from pocketintent.runtime.errors import PocketIntentError


def check_text(text: object) -> None:
    """Raise TypeError unless an argument is a string."""
    if not isinstance(text, str):
        raise TypeError(f"a text must be a str, not {type(text).__name__}")


def check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    """Raise PocketIntentError for a value that is not one of the choices."""
    if value not in choices:
        raise PocketIntentError(f"{name} {value!r} is not one of {', '.join(choices)}")


def check_flag(name: str, value: object) -> None:
    """Raise PocketIntentError for a value that is neither True nor False."""
    if not isinstance(value, bool):
        raise PocketIntentError(f"{name} must be True or False, not {value!r}")


def check_count(name: str, value: object) -> None:
    """Raise PocketIntentError for a value that is not a whole number from 1."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
        raise PocketIntentError(f"{name} must be a whole number from 1, not {value!r}")


def check_range(name: str, value: object, low: float, high: float) -> None:
    """Raise PocketIntentError unless a value is a number within limits; NaN is not."""
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or not low <= value <= high:  # type: ignore[operator]
        raise PocketIntentError(f"{name} must be a number from {low:g} to {high:g}, not {value!r}")
