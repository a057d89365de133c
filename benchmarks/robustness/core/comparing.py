"""Whether an answer of the core is that of Python, up to the rounding of scores."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from pocketintent.recognizer import IntentRecognizer
from pocketintent.runtime.errors import ModelFileError, PocketIntentError, TemplateError
from pocketintent.runtime.files.model_file import is_model_file
from pocketintent.runtime.templates.template_set import TemplateSet
from pocketintent.runtime.text.tokenizer import simple_tokenize

TOLERANCE = 1e-5
"""Largest difference of a score."""
RANKED = 3
"""Intents of the rankings that are compared."""
NO_BOT = "not a bot file, damaged or too new"
REFUSALS: dict[type[PocketIntentError], tuple[str, ...]] = {
    ModelFileError: (
        NO_BOT,
        "this library cannot do that, or cannot run a part of the bot file",
    ),
    TemplateError: ("the templates break the format",),
}
"""The statuses of the core for a file that Python refuses by an error."""


def is_refused_alike(error: PocketIntentError, status: str, path: Path) -> bool:
    """Whether the core refuses a file for a reason of the same class.

    Args:
        error: That of Python, which reads a file that begins in another way as templates.
        status: That of the core, in words.
        path: The file.
    """
    return status in REFUSALS.get(type(error), ()) or (
        status == NO_BOT and isinstance(error, TemplateError) and not is_model_file(path)
    )


class Expected(NamedTuple):
    """What Python says of a text."""

    match: dict[str, Any]
    """The match."""
    is_close_call: bool
    """Whether a difference within the tolerance could change its intent or reason."""
    ranking: list[float]
    """The scores of the ranking."""
    read: str
    """The text as read."""
    tokens: list[str]
    """The tokens."""


def is_close_call(templates: TemplateSet, match: dict[str, Any]) -> bool:
    """Whether a difference within the tolerance could change the intent or the reason.

    Args:
        templates: The template set of the bot.
        match: The match of a text.
    """
    if match["nearest"] is None:
        return False
    calls = [abs(match["score"] - templates.threshold_of(match["nearest"]))]
    if match["margin"] is not None:
        calls += [match["margin"], abs(match["margin"] - templates.margin)]
    return bool(min(calls) <= 2 * TOLERANCE)


def expect(recognizer: IntentRecognizer, texts: Iterable[str]) -> list[Expected]:
    """What Python says of texts.

    Args:
        recognizer: The bot, with the backend ``numpy``.
        texts: The texts.
    """
    templates = recognizer.templates
    expected = []
    for text in texts:
        match = recognizer.match(text).to_dict()
        close = is_close_call(templates, match)
        ranking = [candidate.score for candidate in recognizer.rank(text, RANKED)]
        read = recognizer.read(text)
        expected.append(Expected(match, close, ranking, read, simple_tokenize(text)))
    return expected


def differences(expected: Expected, answer: dict[str, Any]) -> list[str]:
    """What is unequal in an answer of the core, by name; where rounding decides, nothing is."""
    found = _unequal_match(expected.match, answer["match"])
    if not expected.is_close_call:
        keys = ("intent", "template", "nearest", "reason")
        found += [key for key in keys if expected.match[key] != answer["match"][key]]
    if answer["read"] != expected.read:
        found.append("text as read")
    if answer["tokens"] != expected.tokens:
        found.append("tokens")
    scores = [candidate["score"] for candidate in answer["rank"]]
    if len(scores) != len(expected.ranking) or not all(map(_is_near, scores, expected.ranking)):
        found.append("ranking")
    return found


def _unequal_match(match: dict[str, Any], answer: dict[str, Any]) -> list[str]:
    unequal = [] if _is_near(match["score"], answer["score"]) else ["score"]
    margin, runner_up = match["margin"], match["runner_up"]
    if (margin is None) != (answer["margin"] is None):
        return [*unequal, "runner-up"]
    if margin is not None and not _is_near(margin, answer["margin"], 2 * TOLERANCE):
        unequal.append("margin")
    if runner_up is not None and not _is_near(runner_up["score"], answer["runner_up"]["score"]):
        unequal.append("runner-up")
    return unequal


def _is_near(one: float, other: float, tolerance: float = TOLERANCE) -> bool:
    return abs(one - other) <= tolerance
