"""The labelled utterances that a bot is tested with: reading them, and what makes them doubtful."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from pocketintent.records import (
    parse_objects,
    read_content,
    read_table,
    string_field,
    without_mark,
)
from pocketintent.runtime.errors import PocketIntentError, list_names, shorten
from pocketintent.runtime.templates.template_set import TemplateSet
from pocketintent.runtime.text.tokenizer import simple_tokenize

_IS_JSON = {".jsonl": True, ".json": True, ".csv": False, ".tsv": False}
"""Suffixes that decide the format; the content of a file with another suffix decides it."""


LEAST_IN_SCOPE = 20
"""Utterances with an intent below which the choice of limits is little more than chance."""

LEAST_OUT_OF_SCOPE = 10
"""The same for utterances without an intent."""

SUBJECTS = ("own", "other")
"""What an utterance may be about: the bot's own subject, or another one."""

_Words = tuple[str, ...]


@dataclass(frozen=True)
class Utterance:
    """A sentence of a user and the intent that a bot should give it."""

    text: str
    intent: str | None
    """None if the bot should refuse it."""
    subject: str | None = None
    """One of ``SUBJECTS``, for an utterance that the bot should refuse; None if nobody says."""


class _Row(NamedTuple):
    place: str
    text: str
    intent: str | None
    subject: Any = None


def read_labelled(path: str | Path, intents: Collection[str], owner: str) -> list[Utterance]:
    """Read utterances with the intents that a bot should give them.

    JSON lines are objects ``{"text", "intent"}``; a null intent marks an utterance that belongs
    to no intent. A TSV or CSV has the columns ``text`` and ``intent``, named by a header, or two
    columns in this order; an empty intent stands for none. A third column or key ``subject``, null
    or empty if it is not known, says whether an utterance is on the bot's ``own`` subject or on an
    ``other`` one.

    Args:
        path: The file, in UTF-8.
        intents: The intents of the bot.
        owner: The template file, for messages.

    Returns:
        The utterances in order, at least one.

    Raises:
        PocketIntentError: The file cannot be read or has no utterances, a line is malformed, or
            an intent is unknown; the message names the file and the line.
    """
    path = Path(path)
    content = without_mark(read_content(path))
    is_json = _IS_JSON.get(path.suffix.lower(), content.lstrip().startswith(b"{"))
    utterances = []
    for row in _read_json(path, content) if is_json else _read_columns(path, content):
        if row.intent is not None and row.intent not in intents:
            raise PocketIntentError(_explain_unknown(row, intents, owner))
        if row.subject is not None and row.subject not in SUBJECTS:
            raise PocketIntentError(
                f"{row.place}: the subject {shorten(row.subject)} is neither own nor other, "
                "for an utterance on the bot's own subject or not; leave it empty if nobody knows"
            )
        utterances.append(Utterance(row.text, row.intent, row.subject))
    if not utterances:
        raise PocketIntentError(
            f'{path}: no utterances; write lines of {{"text", "intent"}}, or a table with the '
            "columns text and intent"
        )
    return utterances


def _read_json(path: Path, content: bytes) -> Iterator[_Row]:
    for place, value in parse_objects(path, content):
        intent = value.get("intent")
        is_name = isinstance(intent, str) and intent
        if "intent" not in value or not (intent is None or is_name):
            problem = f"found {shorten(intent)}" if "intent" in value else "but it is missing"
            raise PocketIntentError(
                f'{place}: "intent" must be the name of an intent, or null for an utterance that '
                f"belongs to none, {problem}"
            )
        yield _Row(place, string_field(value, "text", place), intent, value.get("subject"))


def _read_columns(path: Path, content: bytes) -> Iterator[_Row]:
    """Yield the rows of a table; its first row may be a header."""
    columns: tuple[int, int] | None = None
    subject, width = -1, 2
    for place, fields in read_table(path, content):
        if columns is None:
            columns = 0, 1
            names = [field.strip().lower() for field in fields]
            if "text" in names and "intent" in names:
                for name in ("text", "intent", "subject"):
                    if names.count(name) > 1:
                        raise PocketIntentError(f"{place}: two columns are named {name}; keep one")
                columns, width = (names.index("text"), names.index("intent")), len(names)
                subject = names.index("subject") if "subject" in names else -1
                continue
        if len(fields) != width:
            found = "1 field" if len(fields) == 1 else f"{len(fields)} fields"
            raise PocketIntentError(
                f"{place}: {found} instead of {width}; separate text and intent by a tab, a comma "
                "or a semicolon, quote a text that contains the separator, and leave the intent "
                "empty for an utterance that belongs to none"
            )
        text, intent = (fields[column] for column in columns)
        about = fields[subject].strip() if subject >= 0 else ""
        yield _Row(place, text, intent.strip() or None, about or None)


def _explain_unknown(row: _Row, intents: Collection[str], owner: str) -> str:
    near = difflib.get_close_matches(str(row.intent), intents, n=1)
    is_first = row.place.endswith(", line 1")
    header = "; if this is a header, its columns must be named text and intent" if is_first else ""
    hint = "" if intents else "the file has no intents; "
    if near:
        hint = f"the nearest name is {shorten(near[0])}; "
    return (
        f"{row.place}: {owner} has no intent {shorten(row.intent)}; {hint}correct the name, or "
        "leave the intent empty (null in JSON lines) if the utterance belongs to none"
        f"{header}"
    )


def find_warnings(utterances: Sequence[Utterance], templates: TemplateSet) -> list[str]:
    """What to know about utterances before their figures are believed.

    Args:
        utterances: The utterances that a bot is tested with.
        templates: The bot's templates.

    Returns:
        Sentences that say what is wrong and what to do.
    """
    return [
        *_too_few(utterances),
        *_untested(utterances, templates),
        *_without_words(utterances),
        *_contradictions(utterances),
        *_templates_among(utterances, templates),
    ]


def _too_few(utterances: Sequence[Utterance]) -> Iterator[str]:
    num_inside = sum(utterance.intent is not None for utterance in utterances)
    num_outside = len(utterances) - num_inside
    if num_inside < LEAST_IN_SCOPE:
        yield (
            f"the choice of a threshold and a margin needs {LEAST_IN_SCOPE} utterances with an "
            f"intent, and there {_is_or_are(num_inside)}; add sentences of your users"
        )
    if num_outside < LEAST_OUT_OF_SCOPE:
        yield (
            f"the choice of a threshold and a margin needs {LEAST_OUT_OF_SCOPE} utterances "
            f"without an intent, and there {_is_or_are(num_outside)}; add sentences that the bot "
            "should refuse, with an empty intent (null in JSON lines)"
        )


def _is_or_are(number: int) -> str:
    return "is 1" if number == 1 else f"are {number}"


def _untested(utterances: Sequence[Utterance], templates: TemplateSet) -> Iterator[str]:
    untested = set(templates.intents) - {utterance.intent for utterance in utterances}
    if untested:
        yield f"intents without an utterance: {list_names(untested)}"


def _without_words(utterances: Sequence[Utterance]) -> Iterator[str]:
    texts = [u.text for u in utterances if u.intent is not None and not simple_tokenize(u.text)]
    if texts:
        yield (
            f"utterances with an intent but without a word: {len(texts)}, such as "
            f"{shorten(texts[0])}; no bot can answer them, so remove them"
        )


def _contradictions(utterances: Sequence[Utterance]) -> Iterator[str]:
    intents: dict[_Words, set[str | None]] = {}
    for utterance in utterances:
        if words := _words(utterance.text):
            intents.setdefault(words, set()).add(utterance.intent)
    several = [words for words, names in intents.items() if len(names) > 1]
    if several:
        names = sorted("none" if name is None else name for name in intents[several[0]])
        yield (
            f"utterances with more than one intent: {len(several)}, such as "
            f"{shorten(' '.join(several[0]))} ({list_names(names)}); keep the right one"
        )


def _templates_among(utterances: Sequence[Utterance], templates: TemplateSet) -> Iterator[str]:
    known = {
        (_words(text), name)
        for name, intent in templates.intents.items()
        for text in intent.templates
    }
    texts = [u.text for u in utterances if (_words(u.text), u.intent) in known]
    if texts:
        yield (
            f"utterances that are templates of their intent: {len(texts)}, such as "
            f"{shorten(texts[0])}; they test nothing, so remove them"
        )


def _words(text: str) -> _Words:
    return tuple(simple_tokenize(text))
