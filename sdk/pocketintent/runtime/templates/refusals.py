"""Counter-examples word for word: texts that never get an intent, whatever their scores are."""

from __future__ import annotations

from pocketintent.runtime.templates.template_set import TemplateSet
from pocketintent.runtime.text.tokenizer import simple_tokenize


class Refusals:
    """Tells whether a text has the words of a counter-example.

    Args:
        templates: The set, whose ``counter_examples`` count for their intents, and whose ``none``
            counts for all.
    """

    def __init__(self, templates: TemplateSet) -> None:
        self._intents: dict[tuple[str, ...], frozenset[str]] = {}
        self._texts: dict[tuple[str, ...], str] = {}
        for text in templates.none:
            self._add(text, frozenset(templates.intents))
        for name, intent in templates.intents.items():
            for text in intent.counter_examples:
                self._add(text, frozenset([name]))

    def _add(self, text: str, intents: frozenset[str]) -> None:
        if tokens := tuple(simple_tokenize(text)):
            self._intents[tokens] = self._intents.get(tokens, frozenset()) | intents
            self._texts.setdefault(tokens, text)

    def __call__(self, text: str, intent: str) -> bool:
        """Whether a text, as the recogniser reads it, never gets an intent."""
        return bool(self._intents) and intent in self._intents.get(
            tuple(simple_tokenize(text)), frozenset()
        )

    def text_with_words_of(self, text: str) -> str | None:
        """The first text of ``none``, or counter-example, with the words of a text; or None."""
        return self._texts.get(tuple(simple_tokenize(text)))
