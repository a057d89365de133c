"""Settings classes whose fields carry their meaning and the values that are allowed.

A settings class is a frozen dataclass with :func:`setting` as the default of each field. The
check, the options of the command and the tables in the docs are all derived from the fields.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from numbers import Integral, Real
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.text.ngrams import MAX_N

_KINDS: dict[type, tuple[Any, str]] = {
    bool: (Integral, "True or False"),
    int: (Integral, "a whole number"),
    float: (Real, "a number"),
}
"""The types that a field accepts, and their description in an error; 1 and 0 pass as bool."""

LARGEST = 2**31 - 1
"""Largest whole number where the bounds have no upper limit; counts beyond it are mistakes."""

LARGEST_FLOAT = 1e6
"""Largest other number where the bounds have no upper limit; rates, shares, powers and weights
beyond it overflow."""


@dataclass(frozen=True)
class Bounds:
    """Limits of a number; None where there is no limit."""

    least: float | None = None
    above: float | None = None
    most: float | None = None
    below: float | None = None

    def allow(self, value: float) -> bool:
        """Whether a number is within the limits."""
        return (
            (self.least is None or value >= self.least)
            and (self.above is None or value > self.above)
            and (self.most is None or value <= self.most)
            and (self.below is None or value < self.below)
        )

    def problem(self, value: float) -> str | None:
        """What is wrong with a number, such as "must be at least 1, not 0".

        Args:
            value: A whole number or a float. Without an upper limit, a whole number is at most
                :data:`LARGEST` and a float, which is finite, at most :data:`LARGEST_FLOAT`.

        Returns:
            The problem; None for a number that is allowed.
        """
        is_whole = isinstance(value, Integral)
        if not is_whole and not math.isfinite(value):
            return f"must be a finite number, not {value!r}"
        largest = LARGEST if is_whole else int(LARGEST_FLOAT)
        if self.most is None and self.below is None and abs(value) > largest:
            sign = "most " if value > 0 else "least -"
            return f"must be at {sign}{largest}, not {_shorten(value)}"
        return None if self.allow(value) else f"must be {self}, not {_shorten(value)}"

    def __str__(self) -> str:
        limits = [
            ("at least", self.least),
            ("above", self.above),
            ("at most", self.most),
            ("below", self.below),
        ]
        return " and ".join(f"{word} {limit}" for word, limit in limits if limit is not None)


@dataclass(frozen=True)
class Setting:
    """A field of a settings class."""

    name: str
    """Name of the field."""
    default: Any
    """Its default; None stands for "no limit"."""
    help: str
    """Its meaning, in a phrase without a full stop."""
    kind: type
    """bool, int, float or, for a choice, str."""
    choices: tuple[str, ...]
    """The words to choose from; empty for a number."""
    optional: bool
    """Whether None is allowed."""
    bounds: Bounds
    """Limits of a number."""
    unit: str
    """Unit of a number, in the plural, such as "words"; empty where it has none."""

    def check(self, value: Any) -> None:
        """Raise PocketIntentError for a value that is not allowed."""
        if value is None and self.optional:
            return
        problem = None
        if self.choices:
            if value not in self.choices:
                problem = f"must be one of {', '.join(self.choices)}, not {value!r}"
        elif not isinstance(value, _KINDS[self.kind][0]):
            problem = f"must be {_KINDS[self.kind][1]}, not {value!r}"
        else:
            problem = self.bounds.problem(value)
        if problem is not None:
            raise PocketIntentError(f"{self.name} {problem}")


def _shorten(value: float) -> str:
    """A number as text; of a whole number of many digits, the first."""
    digits = 20
    if isinstance(value, Integral) and abs(value) >= 10**digits:
        return "a number of more than 20 digits"
    return repr(value)


def setting(
    default: Any,
    help: str,
    *,
    least: float | None = None,
    above: float | None = None,
    most: float | None = None,
    below: float | None = None,
    unit: str = "",
) -> Any:
    """Describe a field of a settings class.

    Args:
        default: Default of the field.
        help: Its meaning, in a phrase without a full stop. Markdown is allowed.
        least: Smallest value.
        above: Limit below all values.
        most: Largest value.
        below: Limit above all values.
        unit: Unit of the number, in the plural, such as "words".

    Returns:
        The dataclass field.
    """
    bounds = Bounds(least, above, most, below)
    return field(default=default, metadata={"help": help, "bounds": bounds, "unit": unit})


def seed_setting() -> Any:
    """The field ``seed`` of a training run."""
    help = "seed of every random step; a seed gives one model on one device"
    return setting(0, help, least=0, below=2**63)


def list_settings(cls: type[Any]) -> list[Setting]:
    """The fields of a settings class, in order.

    Args:
        cls: A dataclass whose fields are made by :func:`setting`. Their types are bool, int,
            float, a Literal of words, or int or float or None.
    """
    hints = get_type_hints(cls)
    settings = []
    for item in fields(cls):
        kind = hints[item.name]
        optional = get_origin(kind) in (Union, UnionType)
        if optional:
            kind = get_args(kind)[0]
        choices = get_args(kind) if get_origin(kind) is Literal else ()
        settings.append(
            Setting(
                item.name,
                item.default,
                kind=str if choices else kind,
                choices=choices,
                optional=optional,
                **item.metadata,
            )
        )
    return settings


def check_settings(instance: Any) -> None:
    """Check every setting by its type, its choices and its bounds.

    Args:
        instance: An instance of a settings class.

    Raises:
        PocketIntentError: A value is not allowed; the message has the name of the setting, the
            value and the allowed values.
    """
    for item in list_settings(type(instance)):
        item.check(getattr(instance, item.name))


def check_ngram_lengths(min_n: int, max_n: int) -> None:
    """Check the lengths of character n-grams, in code points.

    Raises:
        PocketIntentError: The shortest n-gram is empty or longer than the longest, or the longest
            is longer than a model allows.
    """
    if not 1 <= min_n <= max_n:
        raise PocketIntentError(
            f"min_n must be at least 1 and at most max_n, not {min_n} with a max_n of {max_n}"
        )
    if max_n > MAX_N:
        raise PocketIntentError(f"max_n must be at most {MAX_N}, not {max_n}")
