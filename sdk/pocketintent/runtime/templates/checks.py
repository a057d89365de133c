"""Warnings about valid template sets."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from pocketintent.runtime.errors import shorten
from pocketintent.runtime.templates.forms import MAX_PROBLEMS
from pocketintent.runtime.templates.template_set import TemplateSet
from pocketintent.runtime.text.tokenizer import simple_tokenize


def check_templates(template_set: TemplateSet) -> list[str]:
    """List what makes recognition worse in a valid set.

    Args:
        template_set: The set.

    Returns:
        One sentence for each finding: a set without intents, an intent with one template, a text
        without words, or two texts, of the same intent or of two, that differ only in case and
        punctuation. At most ``MAX_PROBLEMS`` findings.
    """
    return list(islice(_warnings(template_set), MAX_PROBLEMS))


def _warnings(template_set: TemplateSet) -> Iterator[str]:
    if not template_set.intents:
        yield "the set has no intents"
    seen: dict[tuple[str, ...], str] = {}
    for name, intent in template_set.intents.items():
        if len(intent.templates) == 1:
            yield f"intent {shorten(name)} has one template; 5 or more improve recognition"
        for position, text in enumerate(intent.templates, 1):
            place = f"intent {shorten(name)}, template {position} ({shorten(text)})"
            tokens = tuple(simple_tokenize(text))
            if not tokens:
                yield f"{place} has no word, so it never matches"
            elif tokens in seen:
                yield f"{place} has the same words as {seen[tokens]}"
            else:
                seen[tokens] = place
