"""Argument types for whole numbers, with error messages for people."""

from __future__ import annotations

import argparse
from collections.abc import Callable


def whole_number(least: int) -> Callable[[str], int]:
    """Argument type: a whole number that is at least ``least``.

    It raises errors of its own, because argparse would show the name of the Python function.
    """

    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None
        if value < least:
            raise argparse.ArgumentTypeError(f"must be at least {least}, not {value}")
        return value

    return read


def whole_numbers(least: int) -> Callable[[str], tuple[int, ...]]:
    """Argument type: whole numbers that are at least ``least``, separated by commas."""
    read = whole_number(least)
    return lambda text: tuple(read(part) for part in text.split(","))
