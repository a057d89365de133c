"""Edits: from a bot and an edited template set to the next bot."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, NoReturn

from pocketintent.runtime.decision.bot import Bot, make_corrector
from pocketintent.runtime.decision.registry import make_scorer
from pocketintent.runtime.errors import TemplateError
from pocketintent.runtime.index.building import index_templates
from pocketintent.runtime.native.bot import AnyBot, NativeBot
from pocketintent.runtime.templates.template_set import TemplateSet
from pocketintent.runtime.threads import one_blas_thread


def edit_bot(bot: AnyBot, edited: TemplateSet) -> AnyBot:
    """The bot of an edited set; what the edit leaves as it was is not encoded or fitted again."""
    if isinstance(bot, NativeBot):
        return NativeBot(_edit(bot.numpy, edited))
    return _edit(bot, edited)


def _edit(bot: Bot, edited: TemplateSet) -> Bot:
    if edited.has_texts_of(bot.templates):
        return replace(bot, templates=edited)
    before, after = (
        {name: intent.templates for name, intent in of_set.intents.items()}
        for of_set in (bot.templates, edited)
    )
    kept = {name for name, texts in before.items() if texts == after.get(name)}
    with one_blas_thread():
        indexed = index_templates(bot.encoder, edited, bot.search, bot.indexed, kept)
        scorer = make_scorer(bot.decision, bot.encoder, edited, indexed, bot.scorer)
    corrector = make_corrector(bot.encoder, edited, indexed) if bot.correct else None
    return replace(bot, templates=edited, indexed=indexed, scorer=scorer, corrector=corrector)


class CopiedTemplates(TemplateSet):
    """A copy of a recogniser's set, of which an edit by name would be lost."""

    def add_intent(self, *args: Any, **settings: Any) -> NoReturn:
        """Say where an intent is added."""
        self._refuse("add_intent")

    def remove_intent(self, name: str) -> NoReturn:
        """Say where an intent is removed."""
        self._refuse("remove_intent")

    def _refuse(self, method: str) -> NoReturn:
        raise TemplateError(
            f"recognizer.templates is a copy, and this would not change the recogniser: use "
            f"recognizer.{method}, or edit copy.deepcopy(recognizer.templates) and set it"
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TemplateSet) and vars(self) == vars(other)

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy or a pickle is a set like any other."""
        return TemplateSet, tuple(getattr(self, field.name) for field in fields(TemplateSet))
