"""The languages of a model: language tags, and the manifest's entry ``languages``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pocketintent.runtime.errors import ModelFileError, PocketIntentError, shorten

ENTRY = "languages"
"""The manifest's key for the languages that a model was trained on."""

_TAG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*")


def check_language(tag: str) -> str:
    """Return a language tag after a check of its form.

    Args:
        tag: A tag of BCP 47, such as ``"en"`` or ``"pt-BR"``.

    Raises:
        PocketIntentError: It does not begin with a language code of two or three letters.
    """
    if not _TAG.fullmatch(tag):
        raise PocketIntentError(
            f"{shorten(tag)} is not a language tag; write a code such as en, de or pt-BR"
        )
    return tag


def languages_entry(languages: Sequence[str]) -> dict[str, list[str]]:
    """The manifest entry of a model's languages.

    Args:
        languages: Language tags; a repeated tag is written once.

    Returns:
        The entry by its key; empty if there are no languages.

    Raises:
        PocketIntentError: A tag does not have the form of a language tag.
    """
    tags = list(dict.fromkeys(map(check_language, languages)))
    return {ENTRY: tags} if tags else {}


def read_languages(manifest: Mapping[str, Any]) -> list[str]:
    """The languages that a model's manifest names.

    Args:
        manifest: The manifest.

    Returns:
        Language tags; none if the manifest does not name the languages.

    Raises:
        ModelFileError: The entry is not a list of language tags.
    """
    languages = manifest.get(ENTRY, [])
    is_list = isinstance(languages, list)
    if not is_list or not all(isinstance(tag, str) and _TAG.fullmatch(tag) for tag in languages):
        raise ModelFileError(
            f"the manifest's {ENTRY} must be a list of language tags such as 'en', not "
            f"{shorten(languages)}"
        )
    return list(languages)


def speaks(languages: Sequence[str], tag: str) -> bool:
    """Whether a language, in any variety, is among others: ``en-GB`` is among ``["en"]``.

    Args:
        languages: Language tags.
        tag: A language tag; an underscore, as in ``en_GB``, counts as a hyphen.
    """
    return primary_language(tag) in map(primary_language, languages)


def primary_language(tag: str) -> str:
    """The part of a tag that names the language without its variety, in lower case."""
    return re.split("[-_]", tag, maxsplit=1)[0].lower()
