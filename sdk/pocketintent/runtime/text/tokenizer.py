"""Tokenizers of the runtime, ``simple`` and ``word_pieces``, specified in ``docs/tokenizer.md``."""

from __future__ import annotations

import re
import sys
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.text.vocabulary import Vocabulary
from pocketintent.runtime.text.word_pieces import WordPieces, whole_words

Tokenizer = Callable[[str], list[str]]
"""From a text to its tokens, none of which is empty or has white space."""

MAX_CHARS = 4096
"""Number of code points of a text that the ``simple`` tokenizer reads; it ignores the rest."""

_MAX_REMEMBERED = 1024
"""Code points of the longest text that is remembered."""

_last: tuple[str, tuple[str, ...]] = "", ()
"""The last text and its tokens: each step of a match tokenises the same string."""

SIMPLE_SPEC: dict[str, Any] = {"name": "simple", "version": 1, "max_chars": MAX_CHARS}
PIECES_SPEC: dict[str, Any] = SIMPLE_SPEC | {"name": "word_pieces"}

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
_IDEOGRAPH_BOUNDS = [bound for first, last in _IDEOGRAPHS for bound in (first, last + 1)]

_LETTER, _MARK, _DIGIT, _IDEOGRAPH, _APOSTROPHE, _SYMBOL, _SEPARATOR = "LMDIASX"

# Unassigned code points (Cn) are symbols, so that emoji newer than Python's tables are read.
_CLASS_OF_CATEGORY = {
    **dict.fromkeys(("Lu", "Ll", "Lt", "Lm", "Lo"), _LETTER),
    **dict.fromkeys(("Mn", "Mc", "Me"), _MARK),
    **dict.fromkeys(("Nl", "No", "Sm", "Sc", "Sk", "So", "Cn", "Co"), _SYMBOL),
    "Nd": _DIGIT,
}

# Over the classes of a text: words with their apostrophes, numbers, and runs of single characters.
_RUN = re.compile("L[LM]*(?:AL[LM]*)*|D+|[IS]+")
_SINGLE = _IDEOGRAPH + _SYMBOL
_PART_OF_WORD = re.compile("'?[^']+")


def simple_tokenize(text: str) -> list[str]:
    """Split any string into its tokens, in order; a new list, empty if there are none.

    The steps are those of ``docs/tokenizer.md``: cut to ``MAX_CHARS`` code points, NFKC,
    lower-case, then runs of letters, runs of digits, single ideographs and single symbols.
    Punctuation, white space, control and format characters separate tokens and belong to none.
    An apostrophe between letters starts a new token (``don't`` becomes ``don`` and ``'t``).
    """
    global _last
    last_text, last_tokens = _last  # read once: another thread may replace it
    if text is last_text:
        return list(last_tokens)
    tokens = _tokenize(text)
    if len(text) <= _MAX_REMEMBERED:
        _last = text, tuple(tokens)
    return tokens


def _tokenize(text: str) -> list[str]:
    text = text[:MAX_CHARS]
    if not text.isascii():
        return _tokenize_classes(normalise(text))
    text = text.lower()
    words = text.rstrip(" .?!")
    if words.replace(" ", "").isalpha():  # nothing but words and marks at the end
        return words.split()
    return _ASCII_TOKEN.findall(text.replace("`", "'"))


def normalise(text: str) -> str:
    """The normal form NFKC of a text in lower case, with one sign for all apostrophes."""
    return unicodedata.normalize("NFKC", text.translate(_APOSTROPHES)).lower()


def _tokenize_classes(text: str) -> list[str]:
    """Tokenise by the specification, for any text."""
    classes = _classes_of(text)
    tokens: list[str] = []
    for match in _RUN.finditer(classes):
        start, end = match.span()
        run = text[start:end]
        if classes[start] in _SINGLE:
            tokens.extend(run)
        elif "'" in run:
            tokens.extend(_PART_OF_WORD.findall(run))
        else:
            tokens.append(run)
    return tokens


def _classes_of(text: str) -> str:
    """The class of each code point of a text, as a string of the same length."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    classes = _CLASSES.take(codes).tobytes()
    if b"\0" in classes:
        new = np.unique(codes[_CLASSES.take(codes) == 0])
        _CLASSES[new] = [ord(_classify(code)) for code in new.tolist()]
        classes = _CLASSES.take(codes).tobytes()
    return classes.decode("ascii")


def _classify(code: int) -> str:
    char = chr(code)
    if char == "'":
        return _APOSTROPHE
    if bisect_right(_IDEOGRAPH_BOUNDS, code) % 2:
        return _IDEOGRAPH
    return _CLASS_OF_CATEGORY.get(unicodedata.category(char), _SEPARATOR)


_CLASSES = np.zeros(sys.maxunicode + 1, np.uint8)
"""The class of each code point, in ASCII; 0 until a text has the code point, so that most of this
megabyte is never touched."""


def _simple(spec: Mapping[str, Any], _: Vocabulary | None) -> Tokenizer:
    _check(spec, SIMPLE_SPEC)
    return simple_tokenize


def _word_pieces(spec: Mapping[str, Any], vocabulary: Vocabulary | None) -> Tokenizer:
    _check(spec, PIECES_SPEC)
    if vocabulary is None:
        raise ModelFileError("the tokenizer 'word_pieces' needs a model with a table of words")
    pieces = WordPieces(vocabulary)
    return lambda text: pieces(simple_tokenize(text))


def _check(spec: Mapping[str, Any], own: Mapping[str, Any]) -> None:
    if any(spec.get(key) != own[key] for key in ("version", "max_chars")):
        raise ModelFileError(f"unknown tokenizer {dict(spec)}; this runtime has {dict(own)}")


TOKENIZERS: dict[str, Callable[[Mapping[str, Any], Vocabulary | None], Tokenizer]] = {
    "simple": _simple,
    "word_pieces": _word_pieces,
}
"""Makes a tokenizer of a manifest's entry and the model's vocabulary, by its name; the training
side adds its own."""


def get_tokenizer(spec: Mapping[str, Any], vocabulary: Vocabulary | None = None) -> Tokenizer:
    """The tokenizer of a manifest's entry, such as ``SIMPLE_SPEC``, and of a model's vocabulary.

    An unknown tokenizer, and ``word_pieces`` without a vocabulary, are ModelFileErrors.
    """
    name = spec.get("name")
    if not isinstance(name, str) or name not in TOKENIZERS:
        raise ModelFileError(
            f"unknown tokenizer {name!r}; known: {', '.join(sorted(TOKENIZERS))}. A model "
            "trained with 'tweet' needs the extra 'train', and an import of its training side "
            "before it is loaded, see docs/tokenizer.md"
        )
    return TOKENIZERS[name](spec, vocabulary)


def known_words(spec: Mapping[str, Any], vocabulary: Vocabulary) -> Vocabulary | None:
    """The words of a vocabulary, which need no correction; None if its tokens are of another kind.

    A word is a token of ``simple``.
    """
    if spec == SIMPLE_SPEC:
        return vocabulary
    return whole_words(vocabulary) if spec == PIECES_SPEC else None
