"""Tables of a TOML file, with errors that name the file and the key."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from pocketintent.runtime.errors import PocketIntentError, require, shorten
from pocketintent.runtime.files.regular import read_regular

_TOML = "tomllib" if sys.version_info >= (3, 11) else "tomli"

Value = TypeVar("Value")
Default = TypeVar("Default")
Reader = Callable[[Any, str], Value]
"""From a value and its place, such as ``"plan.toml: measure.sts"``, to what it stands for."""


def read_toml(path: Path) -> dict[str, Any]:
    """Parse a TOML file.

    Raises:
        PocketIntentError: It cannot be read, or is not TOML; the message names the line.
    """
    toml = require(_TOML, "evaluate")
    try:
        content: dict[str, Any] = toml.loads(read_regular(path).decode("utf-8"))
    except OSError as error:
        raise PocketIntentError(f"{path}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise PocketIntentError(f"{path}: not UTF-8 at byte {error.start}") from error
    except toml.TOMLDecodeError as error:
        raise PocketIntentError(f"{path}: not valid TOML: {error}") from error
    except RecursionError as error:
        raise PocketIntentError(f"{path}: nested too deeply to be a plan") from error
    return content


class Table:
    """A table of the file.

    Args:
        values: What TOML has at this place.
        path: The file.
        keys: The keys from the top of the file to the table, such as ``"algorithms[2]"``; empty
            for the whole file.
        known: The keys that the table may have.

    Raises:
        PocketIntentError: It is not a table, or has an unknown key.
    """

    def __init__(self, values: Any, path: Path, keys: str, known: Sequence[str]) -> None:
        self._path, self._keys = path, keys
        if not isinstance(values, Mapping):
            fail(f"{path}: {keys}", "a table", values)
        self._values = values
        for key in values:
            if key not in known:
                near = difflib.get_close_matches(key, known, n=1)
                hint = f"did you mean {near[0]!r}?" if near else f"known keys: {', '.join(known)}"
                raise PocketIntentError(f"{self.place(key)}: unknown key; {hint}")

    def place(self, key: str) -> str:
        """The file and the path of a key, for messages."""
        return f"{self._path}: {self._keys}.{key}" if self._keys else f"{self._path}: {key}"

    def take(self, key: str, read: Reader[Value]) -> Value:
        """The value of a key.

        Raises:
            PocketIntentError: The key is missing, or its value is bad.
        """
        if key not in self._values:
            raise PocketIntentError(f"{self.place(key)} is missing")
        return read(self._values[key], self.place(key))

    def get(self, key: str, read: Reader[Value], default: Default) -> Value | Default:
        """The value of a key, or a default where it is missing.

        Raises:
            PocketIntentError: The value is bad.
        """
        return self.take(key, read) if key in self._values else default

    def table(self, key: str, known: Sequence[str]) -> Table:
        """The table below a key; empty where it is missing."""
        keys = f"{self._keys}.{key}" if self._keys else key
        return Table(self._values.get(key, {}), self._path, keys, known)

    def tables(self, key: str, known: Sequence[str]) -> list[Table]:
        """The tables of an array, ``[[key]]``."""
        values = self._values.get(key, [])
        if not isinstance(values, list):
            fail(self.place(key), f"a list of tables, [[{key}]]", values)
        return [
            Table(value, self._path, f"{key}[{number}]", known)
            for number, value in enumerate(values, 1)
        ]

    def named_tables(self, key: str, known: Sequence[str]) -> dict[str, Table]:
        """The tables below a key by their names, ``[key.NAME]``."""
        values = self._values.get(key, {})
        if not isinstance(values, Mapping):
            fail(self.place(key), f"tables, [{key}.NAME]", values)
        return {
            name: Table(value, self._path, f"{key}.{name}", known) for name, value in values.items()
        }


def fail(place: str, expected: str, value: Any) -> NoReturn:
    """Raise PocketIntentError for a value that is not what is expected."""
    raise PocketIntentError(f"{place} must be {expected}, not {shorten(value)}")


def text(value: Any, place: str) -> str:
    """Read a string that is not empty."""
    if not isinstance(value, str) or not value.strip():
        fail(place, "a text", value)
    return value


def whole(least: int, most: int = 2**31 - 1) -> Reader[int]:
    """Reader of a whole number within limits."""

    def read(value: Any, place: str) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            fail(place, f"a whole number from {least} to {most}", value)
        return value

    return read


def share(value: Any, place: str) -> float:
    """Read a share in percent, above 0 and at most 100."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value <= 100:
        fail(place, "a number above 0 and at most 100", value)
    return float(value)


def choice(*choices: str) -> Reader[str]:
    """Reader of one of several words."""

    def read(value: Any, place: str) -> str:
        if value not in choices:
            fail(place, f"one of {', '.join(choices)}", value)
        return str(value)

    return read


def several(read: Reader[Value]) -> Reader[tuple[Value, ...]]:
    """Reader of a list of different values."""

    def read_all(value: Any, place: str) -> tuple[Value, ...]:
        if not isinstance(value, list):
            fail(place, "a list", value)
        values = tuple(read(item, f"{place}[{n}]") for n, item in enumerate(value, 1))
        if len(set(values)) < len(values):
            raise PocketIntentError(f"{place} has a value twice")
        return values

    return read_all
