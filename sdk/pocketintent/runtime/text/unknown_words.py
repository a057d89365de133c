"""The unknown words of a text that are read letter by letter: the bound on the work for a text."""

from __future__ import annotations

from collections.abc import Container, Sequence
from itertools import islice

MAX_UNKNOWN_WORDS = 128
"""Number of different unknown words of a text that a character network reads. The longest
utterance of BANKING77 has 84 words in all; 4,096 characters have room for 2,048."""


def limit_unknown_words(tokens: Sequence[str], table: Container[str] = ()) -> Sequence[str]:
    """Leave out the unknown words of a text after the first ``MAX_UNKNOWN_WORDS`` different ones.

    A word that is read counts as often as it occurs in the text.

    Args:
        tokens: All tokens of the text.
        table: The known words; by default every word is unknown.

    Returns:
        The other tokens, in order; all of them if the text has at most ``MAX_UNKNOWN_WORDS``.
    """
    if len(tokens) <= MAX_UNKNOWN_WORDS:
        return tokens
    unknown = dict.fromkeys(token for token in tokens if token not in table)
    skipped = set(islice(unknown, MAX_UNKNOWN_WORDS, None))
    return [token for token in tokens if token not in skipped] if skipped else tokens
