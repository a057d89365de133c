"""Warnings about valid template sets, and what a bot makes of its own templates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from pocketintent.runtime.decision.logistic.fitting import leave_out_templates
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.errors import shorten
from pocketintent.runtime.index.building import index_templates
from pocketintent.runtime.templates.forms import INTENT_KEYS, MAX_PROBLEMS, SET_KEYS, TEXT_LISTS
from pocketintent.runtime.templates.template_set import (
    IntentTemplates,
    TemplateSet,
    words_of_name,
)
from pocketintent.runtime.text.languages import is_negated, negations_of
from pocketintent.runtime.text.tokenizer import simple_tokenize
from pocketintent.runtime.text.vocabulary import Vocabulary

_FEW_WORDS = 10
_MOST_UNKNOWN = 1 / 3  # English sets have at most .12 unknown words for `tiny`; a German one .77

_Words = tuple[str, ...]
"""The words of a text; texts that differ only in case and punctuation have equal words."""


_MOST_LOST = 0.6  # the shipped sets lose .37 to .55 of their templates
_FEW_TEMPLATES = 6  # fewer say too little
_NAMED_INTENTS = 5
_FOREIGN = re.compile(r"[{}\[\]]|<\w+>|\([^()]*\|[^()]*\)")


@dataclass(frozen=True)
class LeftOut:
    """How the templates of an intent are answered by a bot that is fitted without each of them."""

    intent: str
    templates: int
    """Number of templates in which the model knows a word."""
    refused: int
    """Of these, the ones that get no intent."""
    confused: int
    """Of these, the ones that get another intent."""


def leave_out(encoder: Encoder, template_set: TemplateSet) -> list[LeftOut]:
    """Leave each template out in turn, by an approximation, and see what a bot makes of it.

    Args:
        encoder: The model.
        template_set: The set, which the decision ``logistic`` is fitted on.

    Returns:
        The counts of each intent of which the model knows a template, in the order of the set.
    """
    indexed = index_templates(encoder, template_set, "table")
    if not indexed.names:
        return []
    scores = leave_out_templates(encoder, template_set, indexed)
    counts = []
    for name in indexed.names:
        own, others = scores[name]
        limits = np.where(own >= others, template_set.threshold_of(name), template_set.threshold)
        refused = np.maximum(own, others) < limits
        refused |= np.abs(own - others) < template_set.margin
        num_confused = int((~refused & (others > own)).sum())
        counts.append(LeftOut(name, len(own), int(refused.sum()), num_confused))
    return counts


def left_out_warning(counts: Sequence[LeftOut]) -> str | None:
    """A sentence if most templates are not recognised by a bot without them.

    It is the least to expect: templates resemble each other more than the sentences of users do.
    """
    total = sum(count.templates for count in counts)
    refused, confused = sum(c.refused for c in counts), sum(c.confused for c in counts)
    if total < _FEW_TEMPLATES or refused + confused <= _MOST_LOST * total:
        return None
    worst = sorted(counts, key=lambda count: -(count.refused + count.confused) / count.templates)
    named = ", ".join(
        f"{shorten(count.intent)} ({count.refused + count.confused} of {count.templates})"
        for count in worst[:_NAMED_INTENTS]
    )
    return (
        f"without themselves, {refused} of {total} templates would be refused and {confused} would "
        f"get another intent, most of all those of {named}; users' sentences fare no better, so "
        "add templates in other words to these intents, and measure with `templates test`"
    )


def check_templates(template_set: TemplateSet) -> list[str]:
    """List what makes recognition worse in a valid set.

    Args:
        template_set: The set.

    Returns:
        One sentence for each finding: a set without intents; an intent with one template, with no
        letter in any template, or with the name of a key of the format; a text without words; two
        texts of the same list, or templates of two intents, that differ only in case and
        punctuation; a counter-example with the words of a template of its intent, or a text of
        ``none`` with the words of any template; an intent with both negated templates and negated
        counter-examples; templates with braces, brackets or alternatives, in one sentence; and
        background lines with the words of a template, in one sentence. In a
        set that learns names: two names of the same words; a template with the words of another
        intent's name; and a counter-example with those of its intent's, or a text of ``none`` with
        those of any. At most ``MAX_PROBLEMS`` findings.
    """
    return list(islice(_warnings(template_set), MAX_PROBLEMS))


def vocabulary_warning(template_set: TemplateSet, vocabulary: Vocabulary | None) -> str | None:
    """Compare the words of the templates with those that a model has vectors of.

    Args:
        template_set: The set.
        vocabulary: The words of the model; None for a model that has none.

    Returns:
        A sentence if the model does not know more than a third of at least ten words, as of a
        language that it was not trained with; otherwise None.
    """
    if vocabulary is None:
        return None
    texts = (text for intent in template_set.intents.values() for text in intent.templates)
    words = {word for text in texts for word in simple_tokenize(text) if word.isalpha()}
    unknown = vocabulary.unknown(sorted(words))
    if len(words) < _FEW_WORDS or len(unknown) <= _MOST_UNKNOWN * len(words):
        return None
    return (
        f"the model knows {len(words) - len(unknown)} of the {len(words)} different words of the "
        f"templates, and not, for example, {', '.join(map(shorten, unknown[:3]))}: choose a model "
        "that was trained with their language and subject"
    )


def _warnings(template_set: TemplateSet) -> Iterator[str]:
    if not template_set.intents:
        yield "the set has no intents"
    places: dict[_Words, str] = {}
    names = _names_by_words(template_set)
    negations = negations_of(template_set.language)
    for name, intent in template_set.intents.items():
        yield from _check_intent(name, intent)
        name_words = _words(words_of_name(name))
        if names.get(name_words, name) != name:
            yield (
                f"the name of intent {shorten(name)} has the same words as that of intent "
                f"{shorten(names[name_words])}; names are learned from, so rename one of them"
            )
        for position, text in enumerate(intent.templates, 1):
            place = f"intent {shorten(name)}, template {position} ({shorten(text)})"
            words = _words(text)
            if not words:
                yield f"{place} has no word, so it never matches"
            elif words in places:
                yield f"{place} has the same words as {places[words]}; remove one of them"
            else:
                places[words] = place
            if names.get(words, name) != name:
                yield f"{place} has the words of the name of intent {shorten(names[words])}"
        own = {name_words: "the intent's name"} if name_words in names else {}
        own |= {
            _words(text): f"template {position} ({shorten(text)})"
            for position, text in enumerate(intent.templates, 1)
        }
        where = f"intent {shorten(name)}, counter-example"
        yield from _check_negatives(intent.counter_examples, where, own)
        yield from _check_negations(name, intent, negations)
    yield from _check_foreign_syntax(template_set)
    named = {words: f"the name of intent {shorten(name)}" for words, name in names.items()}
    yield from _check_negatives(template_set.none, "'none', text", named | places)
    yield from _check_background(template_set.background, places)


def _check_foreign_syntax(template_set: TemplateSet) -> Iterator[str]:
    """Name the first template with the slots or short forms of other tools."""
    found = [
        f"intent {shorten(name)}, template {position} ({shorten(text)})"
        for name, intent in template_set.intents.items()
        for position, text in enumerate(intent.templates, 1)
        if _FOREIGN.search(text)
    ]
    if found:
        more = f" (templates like it: {len(found)})" if len(found) > 1 else ""
        yield (
            f"{found[0]} has braces, brackets or alternatives{more}: slots and short forms of "
            "other tools are read as plain text; write each sentence out, with a word for a slot"
        )


def _names_by_words(template_set: TemplateSet) -> dict[_Words, str]:
    """The first intent whose name has the words; none if the set does not learn names."""
    names: dict[_Words, str] = {}
    for name in template_set.intents if template_set.learn_names else ():
        if words := _words(words_of_name(name)):
            names.setdefault(words, name)
    return names


def _check_intent(name: str, intent: IntentTemplates) -> Iterator[str]:
    if len(intent.templates) == 1:
        yield (
            f"intent {shorten(name)} has one template, for which other texts are easily taken; "
            "write 5 or more"
        )
    if not any(map(str.isalpha, "".join(intent.templates))):
        yield (
            f"intent {shorten(name)} has no letter in any template; a text is recognised by its "
            "words, so add templates with words"
        )
    if name in TEXT_LISTS:
        yield (
            f"intent {name!r} is an intent like any other; a list of texts without an intent is "
            f'the key {name!r} beside the key "intents"'
        )
    elif name in (*SET_KEYS, *INTENT_KEYS):
        yield (
            f"intent {name!r} is an intent like any other; if you mean the key of the format, "
            'write {"intents": {"lights_on": {"templates": ["turn on the lights"]}}}'
        )


def _check_negatives(
    texts: Sequence[str], where: str, templates: Mapping[_Words, str]
) -> Iterator[str]:
    """Check counter-examples against the templates that they are negatives of, by their words."""
    places: dict[_Words, str] = {}
    for position, text in enumerate(texts, 1):
        place = f"{where} {position} ({shorten(text)})"
        words = _words(text)
        if not words:
            yield f"{place} has no word, so it has no effect"
        elif words in places:
            yield f"{place} has the same words as {places[words]}"
        elif words in templates:
            yield (
                f"{place} has the same words as {templates[words]}: both are learned from and "
                "pull against each other; remove or change one"
            )
        places.setdefault(words, place)


def _check_negations(
    name: str, intent: IntentTemplates, negations: frozenset[str]
) -> Iterator[str]:
    """Name the first negated template and counter-example of an intent that has both."""
    lists = intent.templates, intent.counter_examples
    first = [next((text for text in texts if is_negated(text, negations)), None) for texts in lists]
    if None not in first:
        template, counter_example = map(shorten, first)
        yield (
            f"intent {shorten(name)} has negated templates ({template}) and negated "
            f"counter-examples ({counter_example}), so that its negated texts are told apart by "
            "their other words alone; write its templates without a negation if you can"
        )


def _check_background(lines: Sequence[str], templates: Mapping[_Words, str]) -> Iterator[str]:
    """Name the first line with the words of a template; log lines may repeat each other."""
    found = [
        (position, text) for position, text in enumerate(lines, 1) if _words(text) in templates
    ]
    if found:
        position, text = found[0]
        more = f", and {len(found) - 1} other lines are templates too" if len(found) > 1 else ""
        yield (
            f"'background', text {position} ({shorten(text)}) has the same words as "
            f"{templates[_words(text)]}{more}; background lines count as texts without an intent, "
            "so remove such lines"
        )


def _words(text: str) -> _Words:
    return tuple(simple_tokenize(text))
