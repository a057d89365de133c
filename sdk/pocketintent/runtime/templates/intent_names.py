"""The words of an intent's name, which say what its templates have in common."""

from __future__ import annotations

from pocketintent.runtime.text.correction import join_tokens
from pocketintent.runtime.text.tokenizer import MAX_CHARS, simple_tokenize


def words_of_name(name: str) -> str:
    """An intent's name as a text: ``card_arrival`` has the words of "card arrival".

    A space is put where a capital letter follows a small one, and before the last of several
    capitals that a small letter follows: ``PlayMusic`` becomes ``Play Music``, ``openURLAgain``
    becomes ``open URL Again``. Underscores, hyphens, dots and the like stay, since the tokenizer
    ``simple`` splits there. Like the tokenizer, it reads ``MAX_CHARS`` characters.

    Args:
        name: The name of an intent.

    Returns:
        The text.
    """
    name = name[:MAX_CHARS]
    words = name[:1]
    for before, char, after in zip(name, name[1:], f"{name[2:]} ", strict=False):
        if char.isupper() and (before.islower() or (before.isupper() and after.islower())):
            words += " "
        words += char
    return words


def text_of_name(name: str) -> str:
    """The tokens of an intent's name with spaces between them, as any sentence encoder reads them.

    Args:
        name: The name of an intent.

    Returns:
        The text, such as "card arrival" for ``card_arrival``; empty if the name has no tokens.
    """
    return join_tokens(simple_tokenize(words_of_name(name)))
