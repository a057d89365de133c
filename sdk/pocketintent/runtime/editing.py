"""What a recogniser consists of, and its edits: intents, thresholds, margin, saving."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from copy import deepcopy
from dataclasses import fields, replace
from typing import Any, NoReturn, TypeVar

from pocketintent.runtime.arguments import check_path, check_range
from pocketintent.runtime.decision.bot import Bot, build_bot
from pocketintent.runtime.decision.registry import Decision
from pocketintent.runtime.decision.scoring import Scorer
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.errors import PocketIntentError, TemplateError
from pocketintent.runtime.index.building import Search
from pocketintent.runtime.index.indexed_templates import IndexedTemplates
from pocketintent.runtime.templates.files import (
    BOT_SUFFIX,
    SUFFIX,
    TemplateSource,
    load_templates,
    save_templates,
)
from pocketintent.runtime.templates.template_set import TemplateSet

BotT = TypeVar("BotT", bound="EditableBot")


class _CopiedTemplates(TemplateSet):
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


class EditableBot:
    """The base class of a recogniser: all but the recognition.

    Any number of threads may read while one or more edit: an edit makes a new bot beside the old
    one and swaps it in.
    """

    # No other attribute can be set: `recognizer.treshold = 0.4` is an AttributeError.
    __slots__ = ("__weakref__", "_bot", "_lock")

    _bot: Bot

    @classmethod
    def from_bot(cls: type[BotT], bot: Bot) -> BotT:
        """The recogniser of an open bot; nothing is encoded or fitted."""
        recognizer = cls.__new__(cls)
        recognizer._open(bot)
        return recognizer

    def _open(self, bot: Bot) -> None:
        self._bot = bot
        self._lock = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        """All but the lock, which a copy has for itself; a bot never changes."""
        return {**getattr(self, "__dict__", {}), "_bot": self._bot}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)
        self._lock = threading.Lock()

    @property
    def encoder(self) -> Encoder:
        """The model."""
        return self._bot.encoder

    @property
    def decision(self) -> Decision:
        """How an intent is scored; :meth:`IntentRecognizer.load` chooses it."""
        return self._bot.decision

    @property
    def search(self) -> Search:
        """How the templates are kept; :meth:`IntentRecognizer.load` chooses it."""
        return self._bot.search

    @property
    def correct(self) -> bool:
        """Whether typing errors of a text are corrected; :meth:`IntentRecognizer.load` chooses."""
        return self._bot.correct

    @property
    def templates(self) -> TemplateSet:
        """A copy of the template set, with its thresholds and margin.

        It can be set, to a changed copy or anything that :meth:`IntentRecognizer.load` takes as
        templates: intents that stay as they were are not encoded again, and the classifier starts
        from the old weights. A set that breaks the format raises TemplateError, and nothing
        changes. The copy's own ``add_intent`` and ``remove_intent`` raise TemplateError, since
        those of the recogniser are meant; ``copy.deepcopy`` of it has both.
        """
        return _CopiedTemplates(**vars(deepcopy(self._bot.templates)))

    @templates.setter
    def templates(self, value: TemplateSource) -> None:
        checked = load_templates(value)
        with self._lock:
            self._swap(checked)

    @property
    def intents(self) -> tuple[str, ...]:
        """The names of the intents, in the order of the template set."""
        return tuple(self._bot.templates.intents)

    @property
    def indexed(self) -> IndexedTemplates:
        """The index of the current templates; an edit makes a new one."""
        return self._bot.indexed

    @property
    def scorer(self) -> Scorer | None:
        """What scores the intents; an edit makes a new one. None without templates."""
        return self._bot.scorer

    @property
    def threshold(self) -> float:
        """Lowest score of a match, -1..1, for an intent without its own threshold.

        Setting another value than a number in this range raises PocketIntentError.
        """
        return self._bot.templates.threshold

    @threshold.setter
    def threshold(self, value: float) -> None:
        check_range("threshold", value, -1.0, 1.0)
        with self._lock:
            self._swap(replace(self._bot.templates, threshold=float(value)))

    @property
    def margin(self) -> float:
        """Smallest lead over the runner-up, 0..2; 0 requires none.

        Setting another value than a number in this range raises PocketIntentError.
        """
        return self._bot.templates.margin

    @margin.setter
    def margin(self, value: float) -> None:
        check_range("margin", value, 0.0, 2.0)
        with self._lock:
            self._swap(replace(self._bot.templates, margin=float(value)))

    def add_intent(
        self,
        name: str,
        templates: Iterable[str],
        threshold: float | None = None,
        counter_examples: Iterable[str] = (),
    ) -> None:
        """Add an intent, or give an existing intent templates, counter-examples or a threshold.

        Args:
            name: The intent.
            templates: Its templates, at least one; an existing intent may get counter-examples or
                a threshold alone.
            threshold: A threshold for this intent alone; None keeps the current one.
            counter_examples: Texts that resemble the intent and do not express it.

        Raises:
            TemplateError: A name, text or threshold breaks the format; nothing changes.
        """
        with self._lock:
            edited = deepcopy(self._bot.templates)
            edited.add_intent(name, templates, threshold, counter_examples)
            self._swap(edited)

    def remove_intent(self, name: str) -> None:
        """Remove an intent and its templates.

        Raises:
            TemplateError: There is no such intent.
        """
        with self._lock:
            edited = deepcopy(self._bot.templates)
            edited.remove_intent(name)
            self._swap(edited)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the templates with thresholds and margin, or the whole recogniser.

        Args:
            path: The file to write or replace. A name that ends in ``.safetensors`` makes it a bot
                file: with the model, the index of the templates and the fitted decision. A name
                that ends in ``.json`` makes it a template file.

        Raises:
            PocketIntentError: It is no path, the name ends in anything else, or a bot file is asked
                of a recogniser that runs an exported graph.
            OSError: The file cannot be written; an old file is then unchanged. The error names
                the file and says what is wrong with its folder.
        """
        check_path("path", path)
        bot, suffix = self._bot, os.path.splitext(os.fspath(path))[1].lower()
        if suffix == BOT_SUFFIX:
            from pocketintent.runtime.bot_file import save_bot

            save_bot(path, bot)
        elif suffix == SUFFIX:
            save_templates(bot.templates, path)
        else:
            raise PocketIntentError(
                f"{os.fspath(path)!r}: the name of a template file ends in {SUFFIX}, that of "
                f"a bot file in {BOT_SUFFIX}"
            )

    def _swap(self, edited: TemplateSet) -> None:
        """Take an edited set; one that differs in nothing but its limits needs no new fit."""
        bot = self._bot
        if edited.has_texts_of(bot.templates):
            self._bot = replace(bot, templates=edited)
        else:
            self._bot = build_bot(bot.encoder, edited, bot.decision, bot.search, bot.correct, bot)
