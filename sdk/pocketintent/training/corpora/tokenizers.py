"""The tokenizers to train with: ``simple`` of the runtime, and NLTK's tweet tokenizer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pocketintent.runtime.errors import require
from pocketintent.runtime.text.tokenizer import (
    SIMPLE_SPEC,
    Tokenizer,
    get_tokenizer,
    register_tokenizer,
)

TWEET_SPEC: dict[str, Any] = {"name": "tweet", "version": 1}
"""The manifest entry of models trained with :func:`tweet_tokenizer`."""

TOKENIZER_SPECS: dict[str, dict[str, Any]] = {"simple": SIMPLE_SPEC, "tweet": TWEET_SPEC}
"""The manifest entry of each tokenizer, by name."""


def corpus_tokenizer(name: str) -> Tokenizer:
    """The tokenizer of a name, for texts of any length.

    In the runtime ``simple`` ignores what follows the first characters of a text. In a corpus a
    longer text is read in pieces of this size, which end at white space where there is some.

    Args:
        name: A name of :data:`TOKENIZER_SPECS`.

    Returns:
        A function from text to all its tokens.

    Raises:
        MissingExtraError: The library of the tokenizer is not installed.
    """
    spec = TOKENIZER_SPECS[name]
    tokenize, size = get_tokenizer(spec), spec.get("max_chars")
    if size is None:
        return tokenize
    pieces = re.compile(rf".{{1,{size}}}(?!\S)|.{{{size}}}", re.DOTALL)

    def tokenize_whole(text: str) -> list[str]:
        if len(text) <= size:
            return tokenize(text)
        return [token for piece in pieces.findall(text) for token in tokenize(piece)]

    return tokenize_whole


def tweet_tokenizer(spec: Mapping[str, Any] = TWEET_SPEC) -> Tokenizer:
    """Make the tokenizer of the thesis: lower-casing and NLTK's TweetTokenizer.

    Args:
        spec: The manifest's tokenizer entry.

    Returns:
        A function from text to tokens; white space inside a token (NLTK keeps some in phone
        numbers) becomes an underscore.

    Raises:
        MissingExtraError: NLTK is not installed.
    """
    tokenize = require("nltk.tokenize", "train").TweetTokenizer(preserve_case=False).tokenize

    def tweet(text: str) -> list[str]:
        # HTML entities can encode NUL and lone surrogates, which no vocabulary can store.
        tokens = (
            token.encode(errors="ignore").decode().replace("\0", " ")
            for token in tokenize(text.replace("\0", " "))
        )
        return [joined for token in tokens if (joined := "_".join(token.split()))]

    return tweet


register_tokenizer("tweet", tweet_tokenizer)
