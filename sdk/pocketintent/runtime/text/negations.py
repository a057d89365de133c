"""Words that negate a text, for each language: the feature that sees "don't".

The specification for ports is ``docs/decision.md``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.errors import ModelFileError, shorten
from pocketintent.runtime.text.languages import primary_language
from pocketintent.runtime.text.tokenizer import simple_tokenize

DEFAULT_LANGUAGE = "en"
"""Language of a template set that names none."""

_SHORT_FORMS = (
    "ain aren can couldn didn doesn don hadn hasn haven isn mustn needn shouldn wasn weren won "
    "wouldn"
)

NEGATIONS: dict[str, frozenset[str]] = {
    "en": frozenset(
        {"not", "never", "no", "nor", "neither", "without", "cannot", "'t"}
        | {f"{word}t" for word in _SHORT_FORMS.split()}
    ),
}
"""Tokens that negate a text, by language. The tokenizer splits "don't" into "don" and "'t"; the
forms without an apostrophe are single tokens. Pronouns such as "nothing" are not among them: they
occur in many texts that negate no command."""


def negations_of(language: str | None) -> frozenset[str]:
    """The negations of a language.

    Args:
        language: A language tag, in any variety; None for ``DEFAULT_LANGUAGE``.

    Returns:
        Tokens of the tokenizer ``simple``; none for a language without a list.
    """
    return NEGATIONS.get(primary_language(language or DEFAULT_LANGUAGE), frozenset())


def is_negated(text: str, negations: frozenset[str]) -> bool:
    """Whether one of the tokens of a text is a negation.

    Args:
        text: Any string.
        negations: Tokens, see :func:`negations_of`.
    """
    return not negations.isdisjoint(simple_tokenize(text))


def negation_flag(text: str, negations: frozenset[str]) -> FloatArray:
    """The feature of a text, float32 [1]: 1 if :func:`is_negated`, otherwise 0."""
    return np.array([is_negated(text, negations)], np.float32)


def any_negated(texts: Iterable[str], negations: frozenset[str]) -> bool:
    """Whether at least one of several texts is negated; see :func:`is_negated`."""
    return bool(negations) and any(is_negated(text, negations) for text in texts)


def read_negations(value: Any, source: str) -> frozenset[str]:
    """The negations that a file lists.

    Args:
        value: The entry of the file.
        source: Whose entry it is, for the error message.

    Returns:
        At least one token.

    Raises:
        ModelFileError: The entry is not a list of texts, or is empty.
    """
    if not isinstance(value, list) or not value or not all(isinstance(v, str) for v in value):
        raise ModelFileError(
            f"the negations of {source} must be a list of at least one token, not {shorten(value)}"
        )
    return frozenset(value)
