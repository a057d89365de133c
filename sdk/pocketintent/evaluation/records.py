"""Readers of the evaluation files: JSON lines, with errors that name the file and the line."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from pocketintent.records import read_objects, string_field
from pocketintent.runtime.errors import PocketIntentError


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
