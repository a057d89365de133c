"""Tokenizers of the runtime: ``simple``, specified in ``docs/tokenizer.md``."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from pocketintent.runtime.errors import ModelFileError

Tokenizer = Callable[[str], list[str]]
"""A function from a text to its tokens; a token is never empty and has no white space."""

MAX_CHARS = 4096
"""Number of code points of a text that the ``simple`` tokenizer reads; it ignores the rest."""

SIMPLE_SPEC: dict[str, Any] = {"name": "simple", "version": 1, "max_chars": MAX_CHARS}

_APOSTROPHES = str.maketrans(dict.fromkeys("\u2019\u2018\u02bc\u0060\u00b4", "'"))

# The same classes as `_classify`, for text that is ASCII after lower-casing.
_ASCII_TOKEN = re.compile(r"[a-z]+|(?<=[a-z])'[a-z]+|[0-9]+|[$+<=>^|~]")

_IDEOGRAPHS = (
    (0x3041, 0x30FF),  # Hiragana, Katakana
    (0x31F0, 0x31FF),  # Katakana extensions
    (0x3400, 0x4DBF),  # Han extension A
    (0x4E00, 0x9FFF),  # Han
    (0xF900, 0xFAFF),  # Han compatibility
    (0x20000, 0x3FFFF),  # Han extensions B and later
)

_LETTER, _MARK, _DIGIT, _IDEOGRAPH, _APOSTROPHE, _SYMBOL, _SEPARATOR = "LMDIASX"


def simple_tokenize(text: str) -> list[str]:
    """Split a text into lower-case words, numbers, ideographs and symbols.

    The steps are those of ``docs/tokenizer.md``: cut to ``MAX_CHARS`` code points, NFKC,
    lower-case, then runs of letters, runs of digits, single ideographs and single symbols.
    Punctuation, white space, control and format characters separate tokens and belong to none.
    An apostrophe between letters starts a new token (``don't`` becomes ``don`` and ``'t``).

    Args:
        text: Any string, including emoji, mixed scripts, NUL and lone surrogates.

    Returns:
        The tokens in order; empty if there are none.
    """
    text = text[:MAX_CHARS]
    if text.isascii():
        return _tokenize_ascii(text.replace("`", "'").lower())
    text = unicodedata.normalize("NFKC", text.translate(_APOSTROPHES)).lower()
    return _tokenize_classes(text)


def _tokenize_ascii(text: str) -> list[str]:
    return _ASCII_TOKEN.findall(text)


def _tokenize_classes(text: str) -> list[str]:
    """Tokenise by the specification, character by character; the reference for the fast path."""
    tokens: list[str] = []
    run = ""  # class of the token that the next character may extend
    for index, char in enumerate(text):
        kind = _classify(char)
        if kind == run or (kind == _MARK and run == _LETTER):
            tokens[-1] += char
        elif kind in (_LETTER, _DIGIT):
            tokens.append(char)
            run = kind
        elif (
            kind == _APOSTROPHE
            and run == _LETTER
            and _classify(text[index + 1 : index + 2]) == _LETTER
        ):
            tokens.append(char)
        else:
            run = ""
            if kind in (_IDEOGRAPH, _SYMBOL):
                tokens.append(char)
    return tokens


@lru_cache(maxsize=4096)
def _classify(char: str) -> str:
    if not char:
        return _SEPARATOR
    if char == "'":
        return _APOSTROPHE
    if any(first <= ord(char) <= last for first, last in _IDEOGRAPHS):
        return _IDEOGRAPH
    category = unicodedata.category(char)
    if category in ("Nd", "Cs"):
        return _DIGIT if category == "Nd" else _SEPARATOR
    # Unassigned code points are symbols, so that emoji newer than Python's tables are read.
    return {"L": _LETTER, "M": _MARK, "N": _SYMBOL, "S": _SYMBOL}.get(
        category[0], _SYMBOL if category in ("Cn", "Co") else _SEPARATOR
    )


def _simple_factory(spec: Mapping[str, Any]) -> Tokenizer:
    if spec.get("version") != SIMPLE_SPEC["version"] or spec.get("max_chars") != MAX_CHARS:
        raise ModelFileError(f"unknown tokenizer {dict(spec)}; this runtime has {SIMPLE_SPEC}")
    return simple_tokenize


_FACTORIES: dict[str, Callable[[Mapping[str, Any]], Tokenizer]] = {"simple": _simple_factory}


def register_tokenizer(name: str, factory: Callable[[Mapping[str, Any]], Tokenizer]) -> None:
    """Register a tokenizer for :func:`get_tokenizer` under a name."""
    _FACTORIES[name] = factory


def get_tokenizer(spec: Mapping[str, Any]) -> Tokenizer:
    """Return the tokenizer that a model's manifest names.

    Args:
        spec: The manifest's tokenizer entry, such as ``SIMPLE_SPEC``.

    Returns:
        A function from text to tokens.

    Raises:
        ModelFileError: There is no tokenizer of this name and version.
    """
    name = spec.get("name")
    factory = _FACTORIES.get(name) if isinstance(name, str) else None
    if factory is None:
        raise ModelFileError(
            f"unknown tokenizer {name!r}; known: {', '.join(sorted(_FACTORIES))}. A model "
            "trained with 'tweet' needs `import pocketintent.training` (extra 'train') before "
            "it is loaded"
        )
    return factory(spec)
