"""Checks of labelled utterances: what makes the figures of a test doubtful."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pocketintent.evaluation.records import Utterance
from pocketintent.runtime.errors import shorten
from pocketintent.runtime.templates.forms import list_names
from pocketintent.runtime.templates.template_set import TemplateSet
from pocketintent.runtime.text.tokenizer import simple_tokenize

LEAST_IN_SCOPE = 20
"""Utterances with an intent below which the choice of limits is little more than chance."""

LEAST_OUT_OF_SCOPE = 10
"""The same for utterances without an intent."""

_Words = tuple[str, ...]


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
