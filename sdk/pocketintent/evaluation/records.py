"""Readers of the evaluation files: JSON lines, with errors that name the file and the line."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.regular import read_regular
from pocketintent.runtime.text.lines import numbered_lines


@dataclass(frozen=True)
class ScoredPair:
    """Two texts and their gold similarity."""

    a: str
    b: str
    score: float


@dataclass(frozen=True)
class Utterance:
    """A text and its intent; ``None`` if it is out of scope."""

    text: str
    intent: str | None


def read_content(path: str | Path) -> bytes:
    """Read a whole file.

    Raises:
        PocketIntentError: The file cannot be read.
    """
    try:
        return read_regular(path)
    except OSError as error:
        raise PocketIntentError(f"{path}: cannot be read: {error.strerror or error}") from error


def read_objects(path: str | Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Read the objects of a file of JSON lines.

    Args:
        path: A UTF-8 file with one JSON object on each line; empty lines are skipped.

    Yields:
        The location of each object (``"FILE, line 3"``), for error messages, and the object.

    Raises:
        PocketIntentError: The file cannot be read, or a line is not a JSON object.
    """
    return parse_objects(path, read_content(path))


def parse_objects(path: str | Path, content: bytes) -> Iterator[tuple[str, dict[str, Any]]]:
    """Parse JSON lines; as :func:`read_objects`, of which ``path`` is only named in errors."""
    for number, line in numbered_lines(content.split(b"\n"), path):
        if not line.strip():
            continue
        place = f"{path}, line {number}"
        try:
            value = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            raise PocketIntentError(
                f"{place}: not valid JSON ({error}); write one object on each line"
            ) from error
        if not isinstance(value, dict):
            raise PocketIntentError(
                f"{place}: expected a JSON object, found {type(value).__name__}"
            )
        yield place, value


def string_field(value: dict[str, Any], key: str, place: str) -> str:
    """Return a string of a JSON object.

    Raises:
        PocketIntentError: ``key`` is missing or is not a string; the message begins with
            ``place``.
    """
    text = value.get(key)
    if not isinstance(text, str):
        raise PocketIntentError(f'{place}: "{key}" must be a string, found {text!r}')
    return text


def read_scored_pairs(path: str | Path) -> list[ScoredPair]:
    """Read lines of ``{"a": text, "b": text, "score": number}``.

    Raises:
        PocketIntentError: A line is malformed; the message names the file and the line.
    """
    pairs = []
    for place, value in read_objects(path):
        score = value.get("score")
        if (
            isinstance(score, bool)
            or not isinstance(score, int | float)
            or not math.isfinite(score)
        ):
            raise PocketIntentError(f'{place}: "score" must be a number, found {score!r}')
        a, b = string_field(value, "a", place), string_field(value, "b", place)
        pairs.append(ScoredPair(a, b, float(score)))
    return pairs


def read_utterances(path: str | Path, *, out_of_scope: bool = False) -> list[Utterance]:
    """Read lines of ``{"text": text, "intent": name}``.

    Args:
        path: The file.
        out_of_scope: Whether the utterances are out of scope: ``intent`` is null or absent.

    Raises:
        PocketIntentError: The file is empty, or a line is malformed; the message names the file
            and the line.
    """
    utterances = []
    for place, value in read_objects(path):
        intent = value.get("intent")
        if out_of_scope and intent is not None:
            raise PocketIntentError(f'{place}: "intent" must be null in an out-of-scope file')
        if not out_of_scope and (not isinstance(intent, str) or not intent):
            raise PocketIntentError(
                f'{place}: "intent" must be a non-empty string, found {intent!r}'
            )
        utterances.append(Utterance(string_field(value, "text", place), intent))
    if not utterances:
        raise PocketIntentError(f'{path}: no utterances; expected lines of {{"text", "intent"}}')
    return utterances
