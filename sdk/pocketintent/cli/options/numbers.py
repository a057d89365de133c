"""Argument types for numbers, which check them when the command line is read."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pocketintent.runtime.arguments import MAX_SEED
from pocketintent.settings import Bounds

_KINDS = {int: "a whole number", float: "a number"}


@dataclass(frozen=True)
class NumberType:
    """Argument type: a number within bounds.

    It raises errors of its own, because argparse would show the name of the Python function.
    """

    kind: type[int] | type[float]
    """Kind of the number."""
    bounds: Bounds
    """Its limits, beside those of :meth:`Bounds.problem`."""

    @property
    def metavar(self) -> str:
        """Its name in the help."""
        return "N" if self.kind is int else "X"

    def __call__(self, text: str) -> Any:
        """Read the number, an ``int`` or a ``float``."""
        try:
            value = self.kind(text)
        except ValueError:
            message = f"{text[:40]!r} is not {_KINDS[self.kind]}"
            raise argparse.ArgumentTypeError(message) from None
        problem = self.bounds.problem(value)
        if problem is not None:
            raise argparse.ArgumentTypeError(problem)
        return value


def whole_number(least: int, most: int | None = None) -> NumberType:
    """Argument type: a whole number from ``least`` to ``most``, by default 2,147,483,647."""
    return NumberType(int, Bounds(least=least, most=most))


def number(
    *,
    least: float | None = None,
    above: float | None = None,
    most: float | None = None,
    below: float | None = None,
) -> NumberType:
    """Argument type: a finite number within limits, see :class:`Bounds`."""
    return NumberType(float, Bounds(least, above, most, below))


def whole_numbers(least: int, most: int | None = None) -> Callable[[str], tuple[int, ...]]:
    """Argument type: distinct whole numbers, see :func:`whole_number`, separated by commas."""
    read_one = whole_number(least, most)

    def read(text: str) -> tuple[int, ...]:
        numbers = tuple(read_one(part) for part in text.split(","))
        check_distinct(numbers)
        return numbers

    return read


def check_distinct(values: Sequence[Any]) -> None:
    """Refuse a value that is given twice, and would be measured twice.

    Raises:
        argparse.ArgumentTypeError: A value occurs twice.
    """
    for value in values:
        if values.count(value) > 1:
            raise argparse.ArgumentTypeError(f"{value} is given twice; give it once")


SEED = whole_number(0, MAX_SEED)
"""Argument type: a seed, which every generator of random numbers accepts."""

THREADS = whole_number(1, 1024)
"""Argument type: a number of threads."""
