"""The three JSON forms of a template set: telling them apart, checking and normalising them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from contextlib import suppress
from types import NoneType
from typing import Any

from pocketintent.runtime.errors import shorten

TEXT_LISTS = ("none", "background")
"""Keys of the long form for texts that express no intent."""

SET_KEYS = ("$schema", "language", "threshold", "margin", "learn_names", "intents", *TEXT_LISTS)
INTENT_KEYS = ("templates", "except", "threshold")
"""Keys of the long form and of an intent in it."""

MAX_PROBLEMS = 100
"""Number of problems after which a set is not read further."""

_INVISIBLE = (
    r"\s\x00-\x1f\x7f-\x9f\u2800\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    r"\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    r"\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""White space, control characters, the blank of Braille, and the characters that Unicode calls
default ignorable: zero-width spaces, byte order marks, fillers, variation selectors and tags."""

_VISIBLE = re.compile(f"[^{_INVISIBLE}]")
_SURROGATE = re.compile("[\ud800-\udfff]")

_MAX_TYPO = 40
"""Characters of the longest key that is compared with the known keys."""


def normalise_form(obj: Any) -> tuple[dict[str, Any], list[str]]:
    """The long form of a decoded JSON value in one of the three forms, and its problems.

    The form is complete if there are none; a problem is a sentence with its place and what to do,
    and the first ``MAX_PROBLEMS`` are listed.
    """
    reader = _Reader()
    form: dict[str, Any] = {"intents": {}}
    with suppress(_TooManyError):
        if not isinstance(obj, Mapping):
            reader.report(f"the top level is {_kind(obj)}; write an object with intents")
        elif isinstance(obj.get("intents"), Mapping):
            form = reader.read_long(obj)
        else:
            form = reader.read_short(obj)
    return form, reader.problems


def is_blank(text: str) -> bool:
    """Whether a text has no visible character."""
    return _VISIBLE.search(text) is None


class _TooManyError(Exception):
    """The reading ends, since there are enough problems to report."""


class _Reader:
    """Reads the forms, and lists their problems; a value with a problem is left out, or None."""

    def __init__(self) -> None:
        self.problems: list[str] = []

    def report(self, problem: str) -> None:
        """Note a problem; the last that counts raises _TooManyError."""
        self.problems.append(problem)
        if len(self.problems) == MAX_PROBLEMS:
            raise _TooManyError

    def read_long(self, obj: Mapping[Any, Any]) -> dict[str, Any]:
        self._check_keys(obj, SET_KEYS, "")
        form: dict[str, Any] = {
            key: self._string(obj.get(key), repr(key)) for key in ("$schema", "language")
        }
        for key, low, high in (("threshold", -1, 1), ("margin", 0, 2)):
            if key in obj:
                form[key] = self._number(obj[key], low, high, repr(key))
        if "learn_names" in obj:
            form["learn_names"] = obj["learn_names"]
            if not isinstance(obj["learn_names"], bool):
                self.report(f"'learn_names' is {_kind(obj['learn_names'])}; write true or false")
        form["intents"] = {}
        for name, entry in obj["intents"].items():
            place = self._intent_place(name)
            if not isinstance(entry, Mapping):
                self.report(f'{place} is {_kind(entry)}; write {{"templates": ["...", "..."]}}')
                continue
            self._check_keys(entry, INTENT_KEYS, f"{place}: ")
            form["intents"][name] = self._intent(entry, place)
        for key in TEXT_LISTS:
            if key in obj:
                form[key] = self._texts(obj[key], f"{key!r} is {_kind(obj[key])}", f"{key!r}, text")
        return form

    def read_short(self, obj: Mapping[Any, Any]) -> dict[str, Any]:
        form: dict[str, Any] = {"$schema": self._string(obj.get("$schema"), "'$schema'")}
        form["intents"] = {}
        for name, texts in obj.items():
            if name == "$schema":
                continue
            if name in SET_KEYS and not isinstance(texts, list | tuple):
                self.report(
                    f"{name!r} is {_kind(texts)}; a set with settings has its intents in an "
                    'object: {"intents": {"lights_on": {"templates": ["..."]}}}'
                )
                continue
            place = self._intent_place(name)
            form["intents"][name] = {"templates": self._templates(texts, place, objects=True)}
        return form

    def _intent(self, entry: Mapping[Any, Any], place: str) -> dict[str, Any]:
        intent: dict[str, Any] = {"templates": self._templates(entry.get("templates"), place)}
        if "except" in entry:
            found = f"{place}: 'except' is {_kind(entry['except'])}"
            intent["except"] = self._texts(entry["except"], found, f"{place}, counter-example")
        if "threshold" in entry:
            intent["threshold"] = self._number(entry["threshold"], -1, 1, f"{place}: 'threshold'")
        return intent

    def _templates(self, value: Any, place: str, *, objects: bool = False) -> list[str]:
        found = "no list of templates" if value is None else f"{_kind(value)} as templates"
        if isinstance(value, list | tuple) and not value:
            self.report(f"{place} has no templates; write at least one")
        return self._texts(value, f"{place} has {found}", f"{place}, template", objects=objects)

    def _texts(self, value: Any, found: str, place: str, *, objects: bool = False) -> list[str]:
        """A list of texts, which may be empty; ``found`` begins the problem of another value."""
        texts: list[str] = []
        if not isinstance(value, list | tuple):
            self.report(f'{found}; write a list of texts: ["...", "..."]')
            return texts
        for position, item in enumerate(value, 1):
            at = f"{place} {position}"
            if objects and isinstance(item, Mapping):
                self._check_keys(item, ("text",), f"{at}: ")
                item = item.get("text")
            if not isinstance(item, str):
                self.report(f"{at} is {_kind(item)}; write a text in quotes")
            elif is_blank(item):
                self.report(f"{at} is empty or invisible; write a text, or remove it")
            elif _SURROGATE.search(item):
                self.report(f"{at} contains half a surrogate pair; write the whole character")
            else:
                texts.append(item)
        return texts

    def _intent_place(self, name: Any) -> str:
        place = f"intent {shorten(name)}"
        if not isinstance(name, str):
            self.report(f"{place}: the name is {_kind(name)}; write a text")
        elif is_blank(name) or _SURROGATE.search(name):
            self.report(f"{place}: the name is empty, invisible or not valid text; give it a name")
        return place

    def _number(self, value: Any, low: int, high: int, place: str) -> float | None:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if number and low <= value <= high:  # not so for NaN
            return float(value)
        shown = shorten(value) if number else _kind(value)
        self.report(f"{place} is {shown}; write a number from {low} to {high}")
        return None

    def _string(self, value: Any, place: str) -> str | None:
        if value is None or (isinstance(value, str) and value and not _SURROGATE.search(value)):
            return value
        shown = "empty or not valid text" if isinstance(value, str) else _kind(value)
        self.report(f"{place} is {shown}; write a text, or remove it")
        return None

    def _check_keys(self, obj: Mapping[Any, Any], known: tuple[str, ...], place: str) -> None:
        for key in obj:
            if key not in known:
                typed = key if isinstance(key, str) and len(key) <= _MAX_TYPO else ""
                near = difflib.get_close_matches(typed, known, n=1)
                hint = f"did you mean {near[0]!r}?" if near else f"known keys: {', '.join(known)}"
                self.report(f"{place}unknown key {shorten(key)}; {hint}")


_KINDS: tuple[tuple[Any, str], ...] = (
    (NoneType, "null"),
    (str, "a text"),
    (bool, "true or false"),
    (int | float, "a number"),
    (Mapping, "an object"),
    (list | tuple, "a list"),
)


def _kind(value: Any) -> str:
    kinds = (kind for types, kind in _KINDS if isinstance(value, types))
    return next(kinds, f"a {type(value).__name__}")
