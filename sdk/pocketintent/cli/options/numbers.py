"""Argument types for numbers, which check them when the command line is read."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pocketintent.runtime.arguments import MAX_SEED
from pocketintent.settings import Bounds


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
            wanted = "a whole number" if self.kind is int else "a number"
            raise argparse.ArgumentTypeError(f"{text[:40]!r} is not {wanted}") from None
        if problem := self.bounds.problem(value):
            raise argparse.ArgumentTypeError(problem)
        return value


def whole_number(least: int, most: int | None = None) -> NumberType:
    """Argument type: a whole number from ``least`` to ``most``, by default 2,147,483,647."""
    return NumberType(int, Bounds(least, most=most))


def number(**limits: float) -> NumberType:
    """Argument type: a finite number within limits, see :class:`Bounds`."""
    return NumberType(float, Bounds(**limits))


def whole_numbers(least: int) -> Callable[[str], tuple[int, ...]]:
    """Argument type: distinct whole numbers, see :func:`whole_number`, separated by commas."""

    def read(text: str) -> tuple[int, ...]:
        numbers = tuple(map(whole_number(least), text.split(",")))
        if problem := given_twice(numbers):
            raise argparse.ArgumentTypeError(problem)
        return numbers

    return read


def given_twice(values: Sequence[Any]) -> str | None:
    """What to say of a value that is given twice, and would be measured twice; None without one."""
    twice = (value for value in values if values.count(value) > 1)
    return next((f"{value} is given twice; give it once" for value in twice), None)


SEED = whole_number(0, MAX_SEED)
"""Argument type: a seed, which every generator of random numbers accepts."""

THREADS = whole_number(1, 1024)
"""Argument type: a number of threads."""
