"""Bots as people write them: templates, free phrasings of each intent, and texts for no intent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.templates.files import read_json


@dataclass(frozen=True)
class WrittenIntent:
    """The texts of an intent."""

    templates: list[str]
    """What the author of the bot writes; at least one."""
    phrasings: list[str]
    """How users put the same; may be empty."""


@dataclass(frozen=True)
class WrittenBot:
    """A bot with the texts that it is tested or trained on."""

    name: str
    """Name of the file without its ending."""
    intents: Mapping[str, WrittenIntent]
    """The intents by name; at least one."""
    foreign: Mapping[str, list[str]]
    """Texts that are for none of the intents, by a name such as ``"own_subject"``."""

    def queries(self) -> list[str]:
        """All phrasings and foreign texts."""
        phrasings = (intent.phrasings for intent in self.intents.values())
        return list(chain(*phrasings, *self.foreign.values()))

    def template_file(self) -> dict[str, Any]:
        """The templates in the form of a template file."""
        return {
            "intents": {name: {"templates": own.templates} for name, own in self.intents.items()}
        }


def read_bot(path: str | Path) -> WrittenBot:
    """Read a JSON file with a bot; a PocketIntentError names the file and the place of an error.

    Its object has ``intents``, each with ``templates`` and ``phrasings``, lists of texts, and may
    have ``foreign``, lists of texts by name. Other entries are ignored.
    """
    content = read_json(Path(path))
    entries = _mapping(content, "intents", f"{path}: ")
    if not entries:
        raise PocketIntentError(f'{path}: "intents" is empty; a bot has at least one')
    intents = {}
    for name in entries:
        place = f"{path}, intent {name!r}: "
        entry = _mapping(entries, name, place)
        templates, phrasings = (_texts(entry, key, place) for key in ("templates", "phrasings"))
        if not templates:
            raise PocketIntentError(f"{place}there is no template; give at least one")
        intents[name] = WrittenIntent(templates, phrasings)
    foreign = {} if "foreign" not in content else _mapping(content, "foreign", f"{path}: ")
    place = f"{path}, foreign: "
    return WrittenBot(
        Path(path).stem, intents, {key: _texts(foreign, key, place) for key in foreign}
    )


def _mapping(parent: object, key: str, place: str) -> Mapping[str, Any]:
    value = parent.get(key) if isinstance(parent, dict) else None
    if not isinstance(value, dict):
        raise PocketIntentError(f"{place}{key!r} must be a JSON object")
    return value


def _texts(parent: Mapping[str, Any], key: str, place: str) -> list[str]:
    texts = parent.get(key, [])
    if not isinstance(texts, list) or not all(isinstance(t, str) and t.strip() for t in texts):
        raise PocketIntentError(f"{place}{key!r} must be a list of texts, none of them empty")
    return texts
