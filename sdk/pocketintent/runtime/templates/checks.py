"""Warnings about valid template sets."""

from __future__ import annotations

from pocketintent.runtime.templates.template_set import TemplateSet
from pocketintent.runtime.text.tokenizer import simple_tokenize


def check_templates(template_set: TemplateSet) -> list[str]:
    """List what makes recognition worse in a valid set.

    Args:
        template_set: The set.

    Returns:
        One sentence for each finding: a set without intents, an intent with one template, a text
        without words, or two texts, of the same intent or of two, that differ only in case and
        punctuation.
    """
    warnings = [] if template_set.intents else ["the set has no intents"]
    seen: dict[tuple[str, ...], str] = {}
    for name, intent in template_set.intents.items():
        if len(intent.templates) == 1:
            warnings.append(f"intent {name!r} has one template; 5 or more improve recognition")
        for position, text in enumerate(intent.templates, 1):
            place = f"intent {name!r}, template {position} ({text!r})"
            tokens = tuple(simple_tokenize(text))
            if not tokens:
                warnings.append(f"{place} has no word, so it never matches")
            elif tokens in seen:
                warnings.append(f"{place} has the same words as {seen[tokens]}")
            else:
                seen[tokens] = place
    return warnings
