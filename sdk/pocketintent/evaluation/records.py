"""Reading the evaluation files: JSON lines, with errors that name the file and the line."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from pocketintent.runtime.errors import PocketIntentError


@dataclass(frozen=True)
class ScoredPair:
    """Two sentences and how similar people found them."""

    a: str
    b: str
    score: float


@dataclass(frozen=True)
class Utterance:
    """A text and its intent; the intent is ``None`` for a text that belongs to none."""

    text: str
    intent: str | None


def read_objects(path: str | Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The JSON objects of a file of lines; empty lines are skipped.

    Args:
        path: A UTF-8 file with one JSON object on each line.

    Yields:
        The place of each object (``"FILE, line 3"``) for messages, and the object.

    Raises:
        PocketIntentError: The file cannot be read, or a line is not a JSON object.
    """
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise PocketIntentError(f"{path}: cannot be read: {error.strerror or error}") from error
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line.strip():
            continue
        place = f"{path}, line {number}"
        try:
            value = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            raise PocketIntentError(
                f"{place}: not valid JSON ({error}); each line is one object"
            ) from error
        if not isinstance(value, dict):
            raise PocketIntentError(
                f"{place}: expected a JSON object, found {type(value).__name__}"
            )
        yield place, value


def read_scored_pairs(path: str | Path) -> list[ScoredPair]:
    """Read lines of ``{"a": text, "b": text, "score": number}``.

    Raises:
        PocketIntentError: A line lacks a field, or a field is of the wrong type; the message
            names the file and the line.
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
        pairs.append(ScoredPair(_text(value, "a", place), _text(value, "b", place), float(score)))
    return pairs


def read_utterances(path: str | Path, *, out_of_scope: bool = False) -> list[Utterance]:
    """Read lines of ``{"text": text, "intent": name}``.

    Args:
        path: The file.
        out_of_scope: The file's utterances belong to no intent: ``intent`` is null or absent.

    Raises:
        PocketIntentError: The file is empty, or a line breaks the form; the message names the
            file and the line.
    """
    utterances = []
    for place, value in read_objects(path):
        intent = value.get("intent")
        if out_of_scope and intent is not None:
            raise PocketIntentError(f'{place}: "intent" must be null in an out-of-scope file')
        if not out_of_scope and (not isinstance(intent, str) or not intent):
            raise PocketIntentError(f'{place}: "intent" must be a name, found {intent!r}')
        utterances.append(Utterance(_text(value, "text", place), intent))
    if not utterances:
        raise PocketIntentError(f'{path}: no utterances; expected lines of {{"text", "intent"}}')
    return utterances


def _text(value: dict[str, Any], key: str, place: str) -> str:
    text = value.get(key)
    if not isinstance(text, str):
        raise PocketIntentError(f'{place}: "{key}" must be a text, found {text!r}')
    return text
