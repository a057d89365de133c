"""Settings classes whose fields carry their meaning and the values that are allowed.

The check, the options of the command and the tables in the docs are derived from the fields.
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass, field, fields
from numbers import Integral, Real
from types import UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

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

LARGEST_FLOAT = 10**6
"""Largest other number where the bounds have no upper limit; rates, shares, powers and weights
beyond it overflow."""

_LIMITS = (
    ("at least", operator.ge),
    ("above", operator.gt),
    ("at most", operator.le),
    ("below", operator.lt),
)
"""The limits of :class:`Bounds` in words, and how a number is compared with them."""


class Bounds(NamedTuple):
    """Limits of a number; None where there is no limit."""

    least: float | None = None
    above: float | None = None
    most: float | None = None
    below: float | None = None

    def problem(self, value: float) -> str | None:
        """What is wrong with a number, such as "must be at least 1, not 0"; None if nothing is.

        Without an upper limit, a whole number is at most :data:`LARGEST` and a float, which is
        finite, at most :data:`LARGEST_FLOAT`.
        """
        is_whole = isinstance(value, Integral)
        if not is_whole and not math.isfinite(value):
            return f"must be a finite number, not {value!r}"
        allowed, largest = str(self), LARGEST if is_whole else LARGEST_FLOAT
        if self.most is None and self.below is None and abs(value) > largest:
            allowed = f"at most {largest}" if value > 0 else f"at least {-largest}"
        elif all(
            limit is None or compare(value, limit)
            for (_, compare), limit in zip(_LIMITS, self, strict=True)
        ):
            return None
        is_long = is_whole and abs(value) >= 10**20
        return f"must be {allowed}, not {'a number of more than 20 digits' if is_long else value}"

    def __str__(self) -> str:
        limits = zip(_LIMITS, self, strict=True)
        return " and ".join(f"{word} {limit}" for (word, _), limit in limits if limit is not None)


@dataclass(frozen=True)
class Setting:
    """A field of a settings class; see :func:`setting`."""

    name: str
    default: Any
    kind: type
    """bool, int, float or, for a choice, str."""
    choices: tuple[str, ...]
    """The words to choose from; empty for a number."""
    optional: bool
    """Whether None is allowed."""
    help: str
    bounds: Bounds
    unit: str

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


def setting(default: Any, help: str, *, unit: str = "", **limits: float) -> Any:
    """A field of a settings class.

    Args:
        default: Its default; None stands for "no limit".
        help: Its meaning, in a phrase without a full stop. Markdown is allowed.
        unit: Unit of a number, in the plural, such as "words".
        limits: Those of a number, see :class:`Bounds`.
    """
    metadata = {"help": help, "bounds": Bounds(**limits), "unit": unit}
    return field(default=default, metadata=metadata)


class Settings:
    """Base of settings classes: frozen dataclasses whose fields have :func:`setting` as default."""

    def check(self) -> None:
        """Raise PocketIntentError for a setting that is not allowed."""
        for item in list_settings(type(self)):
            item.check(getattr(self, item.name))


def seed_setting() -> Any:
    """The field ``seed`` of a training run."""
    help = "seed of every random step; a seed gives one model on one device"
    return setting(0, help, least=0, below=2**63)


def list_settings(cls: type[Any]) -> list[Setting]:
    """The fields of a settings class, in order.

    Their types are bool, int, float, a Literal of words, or int or float or None.
    """
    hints, settings = get_type_hints(cls), []
    for item in fields(cls):
        kind = hints[item.name]
        if optional := get_origin(kind) in (Union, UnionType):
            kind = get_args(kind)[0]
        choices = get_args(kind) if get_origin(kind) is Literal else ()
        kind = str if choices else kind
        settings.append(Setting(item.name, item.default, kind, choices, optional, **item.metadata))
    return settings


def check_ngram_lengths(min_n: int, max_n: int) -> None:
    """Raise PocketIntentError for lengths of character n-grams that no model has."""
    if not 1 <= min_n <= max_n:
        raise PocketIntentError(
            f"min_n must be at least 1 and at most max_n, not {min_n} with a max_n of {max_n}"
        )
    if max_n > MAX_N:
        raise PocketIntentError(f"max_n must be at most {MAX_N}, not {max_n}")
