"""Types of options that are whole numbers; what is none is refused in plain words."""

from __future__ import annotations

import argparse
from collections.abc import Callable


def whole_number(least: int) -> Callable[[str], int]:
    """A type of option: a whole number that is at least ``least``.

    argparse names the function itself when a type raises no error of its own.
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
    """A type of option: whole numbers from ``least``, with commas between them."""
    read = whole_number(least)
    return lambda text: tuple(read(part) for part in text.split(","))
