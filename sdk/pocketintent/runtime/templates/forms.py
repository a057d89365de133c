"""The three JSON forms of a template set: telling them apart, checking and normalising them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from pocketintent.runtime.errors import shorten

TEXT_LISTS = ("none", "background")
"""Keys of the long form for texts that express no intent."""

SET_KEYS = ("$schema", "language", "threshold", "margin", "learn_names", "intents", *TEXT_LISTS)
"""Keys of the long form."""

INTENT_KEYS = ("templates", "except", "threshold")
"""Keys of an intent in the long form."""

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

_MAX_TYPO = 40
"""Characters of the longest key that is compared with the known keys."""


def normalise_form(obj: Any) -> tuple[dict[str, Any], list[str]]:
    """Convert a decoded JSON value in one of the three forms to the long form.

    Returns:
        The long form, complete if there are no problems; and the first ``MAX_PROBLEMS`` problems,
        each a sentence with its place and what to do.
    """
    problems = _Problems()
    form: dict[str, Any] = {"intents": {}}
    with suppress(_TooManyError):
        if not isinstance(obj, Mapping):
            problems.add(f"the top level is {_kind(obj)}; write an object with intents")
        elif isinstance(obj.get("intents"), Mapping):
            form = _read_long(obj, problems)
        else:
            form = _read_short(obj, problems)
    return form, problems


def is_blank(text: str) -> bool:
    """Whether a text has no visible character."""
    return _VISIBLE.search(text) is None


class _TooManyError(Exception):
    """The reading ends, since there are enough problems to report."""


class _Problems(list[str]):
    """The problems of a set, up to ``MAX_PROBLEMS``; the last raises _TooManyError."""

    def add(self, sentence: str) -> None:
        self.append(sentence)
        if len(self) == MAX_PROBLEMS:
            raise _TooManyError


def _read_long(obj: Mapping[Any, Any], problems: _Problems) -> dict[str, Any]:
    _unknown_keys(obj, SET_KEYS, "", problems)
    form: dict[str, Any] = {}
    for key in ("$schema", "language"):
        form[key] = _string(obj.get(key), repr(key), problems)
    for key, low, high in (("threshold", -1, 1), ("margin", 0, 2)):
        if key in obj:
            form[key] = _number(obj[key], low, high, repr(key), problems)
    if "learn_names" in obj:
        form["learn_names"] = _boolean(obj["learn_names"], "'learn_names'", problems)
    intents: dict[Any, dict[str, Any]] = {}
    for name, entry in obj["intents"].items():
        place = _intent_place(name, problems)
        if not isinstance(entry, Mapping):
            problems.add(f'{place} is {_kind(entry)}; write {{"templates": ["...", "..."]}}')
            continue
        _unknown_keys(entry, INTENT_KEYS, f"{place}: ", problems)
        intents[name] = _read_intent(entry, place, problems)
    form["intents"] = intents
    for key in TEXT_LISTS:
        if key in obj:
            form[key] = _read_list(obj[key], repr(key), f"{key!r}, text", problems)
    return form


def _read_intent(entry: Mapping[Any, Any], place: str, problems: _Problems) -> dict[str, Any]:
    intent: dict[str, Any] = {"templates": _read_templates(entry.get("templates"), place, problems)}
    if "except" in entry:
        at = f"{place}: 'except'"
        intent["except"] = _read_list(entry["except"], at, f"{place}, counter-example", problems)
    if "threshold" in entry:
        at = f"{place}: 'threshold'"
        intent["threshold"] = _number(entry["threshold"], -1, 1, at, problems)
    return intent


def _read_short(obj: Mapping[Any, Any], problems: _Problems) -> dict[str, Any]:
    form = {"$schema": _string(obj.get("$schema"), "'$schema'", problems)}
    intents: dict[Any, dict[str, Any]] = {}
    for name, texts in obj.items():
        if name == "$schema":
            continue
        if name in SET_KEYS and not isinstance(texts, list | tuple):
            problems.add(
                f"{name!r} is {_kind(texts)}; a set with settings has its intents in an object: "
                '{"intents": {"lights_on": {"templates": ["..."]}}}'
            )
            continue
        place = _intent_place(name, problems)
        intents[name] = {"templates": _read_templates(texts, place, problems, objects=True)}
    return {**form, "intents": intents}


def _read_templates(
    value: Any, place: str, problems: _Problems, *, objects: bool = False
) -> list[str]:
    if not isinstance(value, list | tuple):
        found = "has no list of templates" if value is None else f"has {_kind(value)} as templates"
        problems.add(f'{place} {found}; write a list of texts: ["...", "..."]')
        return []
    if not value:
        problems.add(f"{place} has no templates; write at least one")
    return _read_texts(value, f"{place}, template", problems, objects=objects)


def _read_list(value: Any, place: str, item_place: str, problems: _Problems) -> list[str]:
    """An optional list of texts, which may be empty."""
    if not isinstance(value, list | tuple):
        problems.add(f'{place} is {_kind(value)}; write a list of texts: ["...", "..."]')
        return []
    return _read_texts(value, item_place, problems)


def _read_texts(
    items: Sequence[Any], place: str, problems: _Problems, *, objects: bool = False
) -> list[str]:
    texts = []
    for position, item in enumerate(items, 1):
        at = f"{place} {position}"
        if objects and isinstance(item, Mapping):
            _unknown_keys(item, ("text",), f"{at}: ", problems)
            item = item.get("text")
        if not isinstance(item, str):
            problems.add(f"{at} is {_kind(item)}; write a text in quotes")
        elif is_blank(item):
            problems.add(f"{at} is empty or invisible; write a text, or remove it")
        elif not _is_unicode(item):
            problems.add(f"{at} contains half a surrogate pair; write the whole character")
        else:
            texts.append(item)
    return texts


def _intent_place(name: Any, problems: _Problems) -> str:
    place = f"intent {shorten(name)}"
    if not isinstance(name, str):
        problems.add(f"{place}: the name is {_kind(name)}; write a text")
    elif is_blank(name) or not _is_unicode(name):
        problems.add(f"{place}: the name is empty, invisible or not valid text; give it a name")
    return place


def _number(value: Any, low: int, high: int, place: str, problems: _Problems) -> float | None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if number and low <= value <= high:  # not so for NaN
        return float(value)
    shown = shorten(value) if number else _kind(value)
    problems.add(f"{place} is {shown}; write a number from {low} to {high}")
    return None


def _boolean(value: Any, place: str, problems: _Problems) -> bool:
    if not isinstance(value, bool):
        problems.add(f"{place} is {_kind(value)}; write true or false")
    return value is True


def _string(value: Any, place: str, problems: _Problems) -> str | None:
    if value is None or (isinstance(value, str) and value and _is_unicode(value)):
        return value
    shown = "empty or not valid text" if isinstance(value, str) else _kind(value)
    problems.add(f"{place} is {shown}; write a text, or remove it")
    return None


def _unknown_keys(
    obj: Mapping[Any, Any], known: tuple[str, ...], place: str, problems: _Problems
) -> None:
    for key in obj:
        if key not in known:
            typed = key if isinstance(key, str) and len(key) <= _MAX_TYPO else ""
            near = difflib.get_close_matches(typed, known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"known keys: {', '.join(known)}"
            problems.add(f"{place}unknown key {shorten(key)}; {hint}")


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    for types, kind in (
        (str, "a text"),
        (bool, "true or false"),
        (int | float, "a number"),
        (Mapping, "an object"),
        (list | tuple, "a list"),
    ):
        if isinstance(value, types):
            return kind
    return f"a {type(value).__name__}"


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
