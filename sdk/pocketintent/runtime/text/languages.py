"""Languages: their tags, the manifest's entry ``languages``, and their words that negate a text.

The specification of the negation for ports is ``docs/decision.md``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pocketintent.runtime.errors import ModelFileError, PocketIntentError, shorten
from pocketintent.runtime.text.tokenizer import simple_tokenize

ENTRY = "languages"
"""The manifest's key for the languages that a model was trained on."""

DEFAULT_LANGUAGE = "en"
"""Language of a template set that names none."""

SHORT_FORMS = (
    "ain aren can couldn didn doesn don hadn hasn haven isn mustn needn shouldn wasn weren won "
    "wouldn"
)
"""The words before "'t" in a negated text."""

NEGATIONS: dict[str, frozenset[str]] = {
    "en": frozenset(
        {"not", "never", "no", "nor", "neither", "without", "cannot", "'t"}
        | {f"{word}t" for word in SHORT_FORMS.split()}
    ),
}
"""Tokens that negate a text, by language. Pronouns such as "nothing" are not among them: they occur
in many texts that negate no command."""

_TAG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*")


def check_language(tag: str) -> str:
    """Return a tag of BCP 47, such as ``"pt-BR"``; PocketIntentError if it has another form."""
    if not _TAG.fullmatch(tag):
        raise PocketIntentError(
            f"{shorten(tag)} is not a language tag; write a code such as en, de or pt-BR"
        )
    return tag


def languages_entry(languages: Sequence[str]) -> dict[str, list[str]]:
    """The manifest's entry of languages, each once, by its key; see :func:`check_language`."""
    tags = list(dict.fromkeys(map(check_language, languages)))
    return {ENTRY: tags} if tags else {}


def read_languages(manifest: Mapping[str, Any]) -> list[str]:
    """The language tags of a model's manifest, or none; ModelFileError for another entry."""
    languages = manifest.get(ENTRY, [])
    is_list = isinstance(languages, list)
    if not is_list or not all(isinstance(tag, str) and _TAG.fullmatch(tag) for tag in languages):
        raise ModelFileError(
            f"the manifest's {ENTRY} must be a list of language tags such as 'en', not "
            f"{shorten(languages)}"
        )
    return list(languages)


def speaks(languages: Sequence[str], tag: str) -> bool:
    """Whether a language, in any variety, is among others: ``en-GB`` or ``en_GB`` in ``["en"]``."""
    return primary_language(tag) in map(primary_language, languages)


def primary_language(tag: str) -> str:
    """The part of a tag that names the language without its variety, in lower case."""
    return re.split("[-_]", tag, maxsplit=1)[0].lower()


def language_warning(tag: str | None, manifest: Mapping[str, Any]) -> str | None:
    """A sentence if a model does not speak the language of a template set, in any variety.

    None if it does, or if the set (``tag`` is None) or the manifest names no language.
    """
    languages = read_languages(manifest)
    if tag is None or not languages or speaks(languages, tag):
        return None
    return (
        f"the set's language is {shorten(tag)}, but the model speaks {', '.join(languages)}: "
        "choose a model of that language, or correct the set's 'language'"
    )


def negations_of(language: str | None) -> frozenset[str]:
    """The negations of a language tag, in any variety, None for ``DEFAULT_LANGUAGE``; or none."""
    return NEGATIONS.get(primary_language(language or DEFAULT_LANGUAGE), frozenset())


def is_negated(text: str, negations: frozenset[str]) -> bool:
    """Whether one of the tokens of a text is among the negations of :func:`negations_of`."""
    return not negations.isdisjoint(simple_tokenize(text))


def any_negated(texts: Iterable[str], negations: frozenset[str]) -> bool:
    """Whether at least one of several texts is negated; see :func:`is_negated`."""
    return bool(negations) and any(is_negated(text, negations) for text in texts)


def read_negations(value: Any, source: str) -> frozenset[str]:
    """The negations that an entry of a file lists; ModelFileError if it is no list of any."""
    if not isinstance(value, list) or not value or not all(isinstance(v, str) for v in value):
        raise ModelFileError(
            f"the negations of {source} must be a list of at least one token, not {shorten(value)}"
        )
    return frozenset(value)
