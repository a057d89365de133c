"""Template sets: the intents of a bot, each with the texts that express it.

Three JSON forms are read, one is saved; ``docs/templates.md`` describes them::

    {"intents": {"lights_on": {"templates": ["turn on the lights"], "threshold": 0.6}}}
    {"lights_on": ["turn on the lights"]}
    {"lights_on": [{"text": "turn on the lights"}]}
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from pocketintent.runtime.errors import TemplateError, list_names
from pocketintent.runtime.templates.forms import MAX_PROBLEMS, normalise_form
from pocketintent.runtime.text.correction import join_tokens
from pocketintent.runtime.text.tokenizer import MAX_CHARS, simple_tokenize

DEFAULT_THRESHOLD = 0.5
"""Score below which nothing is recognised, for a set without its own threshold."""

DEFAULT_MARGIN = 0.0
"""Smallest lead over the runner-up, for a set without its own margin; 0 requires none."""


@dataclass
class IntentTemplates:
    """The templates of one intent."""

    templates: list[str]
    """Texts that express the intent, at least one."""
    threshold: float | None = None
    """Threshold of this intent, -1..1; None for the set's threshold."""
    counter_examples: list[str] = field(default_factory=list)
    """Texts that resemble the intent but do not express it (the file's ``except``)."""


@dataclass
class TemplateSet:
    """The intents of a bot; equal sets save to equal files."""

    intents: dict[str, IntentTemplates] = field(default_factory=dict)
    """Intents by name, in the order of the file."""
    language: str | None = None
    """Language tag of the templates: loading compares it with the model, and ``logistic`` looks
    for the negations of the language. Nothing else depends on it."""
    threshold: float = DEFAULT_THRESHOLD
    """Lowest score of a match, -1..1."""
    margin: float = DEFAULT_MARGIN
    """Smallest lead over the runner-up, 0..2."""
    schema: str | None = None
    """The file's ``$schema``, kept for editors that read it."""
    none: list[str] = field(default_factory=list)
    """Texts that express none of the intents: counter-examples of all of them."""
    background: list[str] = field(default_factory=list)
    """Log lines of the bot, mostly without an intent, that extend the model's background."""
    learn_names: bool = True
    """Whether ``logistic`` learns the words of an intent's name as one more template of it."""

    def add_intent(
        self,
        name: str,
        texts: Iterable[str],
        threshold: float | None = None,
        counter_examples: Iterable[str] = (),
    ) -> None:
        """Add an intent, or give an existing intent templates, counter-examples or a threshold.

        Args:
            name: The intent.
            texts: Its templates, at least one; may be empty for an existing intent.
            threshold: The intent's own threshold; None keeps the current one.
            counter_examples: Texts that resemble the intent but do not express it.

        Raises:
            TemplateError: A name, text or threshold breaks the format; the set is unchanged.
        """
        # A single text stays as it is, for the parser to refuse.
        templates, exceptions = (
            given if isinstance(given, str) else list(given) for given in (texts, counter_examples)
        )
        entry = _intent_to_dict(name, IntentTemplates(templates, threshold, exceptions))  # type: ignore[arg-type]
        if templates == [] and len(entry) > 1 and name in self.intents:
            entry["templates"] = self.intents[name].templates  # checked again, not added again
        added = parse_templates({"intents": {name: entry}}, "add_intent").intents[name]
        intent = self.intents.setdefault(name, IntentTemplates([]))
        intent.templates.extend(templates)
        intent.counter_examples.extend(added.counter_examples)
        if added.threshold is not None:
            intent.threshold = added.threshold

    def remove_intent(self, name: str) -> None:
        """Remove an intent and its templates; raises TemplateError if there is no such intent."""
        if name not in self.intents:
            near = difflib.get_close_matches(str(name), self.intents, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"known: {list_names(self.intents)}"
            raise TemplateError(f"no intent {name!r}; {hint}")
        del self.intents[name]

    def threshold_of(self, name: str) -> float:
        """Return the threshold of an intent: its own, otherwise the set's."""
        own = self.intents[name].threshold
        return self.threshold if own is None else own

    def has_texts_of(self, other: TemplateSet) -> bool:
        """Whether another set differs only in thresholds, margin and schema."""

        def texts_of(each: TemplateSet) -> tuple[Any, ...]:
            intents = [(n, i.templates, i.counter_examples) for n, i in each.intents.items()]
            return intents, each.language, each.none, each.background, each.learn_names

        return texts_of(self) == texts_of(other)

    def all_texts(self) -> list[str]:
        """The distinct texts: of each intent, its name if learned, ``none`` and ``background``."""
        own = (intent.templates + intent.counter_examples for intent in self.intents.values())
        names = [text_of_name(name) for name in self.intents] if self.learn_names else []
        return list(dict.fromkeys(chain(*own, filter(None, names), self.none, self.background)))

    def to_dict(self) -> dict[str, Any]:
        """The set in the long form; a value of a wrong type stays, for the parser to refuse.

        TemplateError if the intents are not a dict of :class:`IntentTemplates`.
        """
        if not isinstance(self.intents, Mapping):
            raise TemplateError(f"'intents' must be a dict, not {type(self.intents).__name__}")
        head = {"$schema": self.schema, "language": self.language}
        lists = {"none": self.none, "background": self.background}
        return {
            **{key: value for key, value in head.items() if value is not None},
            "threshold": self.threshold,
            "margin": self.margin,
            **({} if self.learn_names is True else {"learn_names": self.learn_names}),
            "intents": {n: _intent_to_dict(n, intent) for n, intent in self.intents.items()},
            **{key: _copy_list(texts) for key, texts in lists.items() if texts != []},
        }


def parse_templates(obj: Any, source: str = "templates") -> TemplateSet:
    """Build a new set from a mapping in one of the three forms.

    Raises TemplateError for a value that breaks the format. The message names the source, the
    intent, the template's position (from 1) and what to do, and counts the other problems.
    """
    form, problems = normalise_form(obj)
    if problems:
        least = "at least " if len(problems) == MAX_PROBLEMS else ""
        more = f" (problems in all: {least}{len(problems)})" if len(problems) > 1 else ""
        raise TemplateError(f"{source}: {problems[0]}{more}")
    intents = {
        name: IntentTemplates(entry["templates"], entry.get("threshold"), entry.get("except", []))
        for name, entry in form.pop("intents").items()
    }
    return TemplateSet(intents, schema=form.pop("$schema"), **form)


def _intent_to_dict(name: str, intent: IntentTemplates) -> dict[str, Any]:
    if not isinstance(intent, IntentTemplates):
        raise TemplateError(
            f"intent {name!r} is a {type(intent).__name__}, not IntentTemplates; `add_intent` of "
            "the set adds an intent"
        )
    entry: dict[str, Any] = {"templates": _copy_list(intent.templates)}
    if intent.counter_examples != []:
        entry["except"] = _copy_list(intent.counter_examples)
    if intent.threshold is not None:
        entry["threshold"] = intent.threshold
    return entry


def _copy_list(texts: Any) -> Any:
    return list(texts) if isinstance(texts, list | tuple) else texts


def words_of_name(name: str) -> str:
    """An intent's name as a text: ``card_arrival`` has the words of "card arrival".

    A space is put where a capital letter follows a small one, and before the last of several
    capitals that a small letter follows: ``openURLAgain`` becomes ``open URL Again``. Underscores,
    hyphens, dots and the like stay, since the tokenizer ``simple`` splits there. Like the
    tokenizer, it reads ``MAX_CHARS`` characters.
    """
    name = name[:MAX_CHARS]
    words = name[:1]
    for before, char, after in zip(name, name[1:], f"{name[2:]} ", strict=False):
        if char.isupper() and (before.islower() or (before.isupper() and after.islower())):
            words += " "
        words += char
    return words


def text_of_name(name: str) -> str:
    """An intent's name as any sentence encoder reads it: "card arrival"; "" without tokens."""
    return join_tokens(simple_tokenize(words_of_name(name)))
