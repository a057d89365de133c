"""How texts are split: into sentences by Punkt, into tokens by ``simple`` or NLTK's ``tweet``."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pocketintent.runtime.errors import require
from pocketintent.runtime.text.tokenizer import SIMPLE_SPEC, TOKENIZERS, Tokenizer, get_tokenizer

TWEET_SPEC: dict[str, Any] = {"name": "tweet", "version": 1}
TOKENIZER_SPECS: dict[str, dict[str, Any]] = {"simple": SIMPLE_SPEC, "tweet": TWEET_SPEC}
"""The manifest entry of each tokenizer, by name."""


def corpus_tokenizer(spec: Mapping[str, Any]) -> Tokenizer:
    """The tokenizer of a manifest's entry, for texts of any length.

    In the runtime ``simple`` ignores what follows the first characters of a text. In a corpus a
    longer text is read in pieces of this size, which end at white space where there is some.
    """
    tokenize, size = get_tokenizer(spec), spec.get("max_chars")
    if size is None:
        return tokenize
    pieces = re.compile(rf".{{1,{size}}}(?!\S)|.{{{size}}}", re.DOTALL)

    def tokenize_whole(text: str) -> list[str]:
        if len(text) <= size:
            return tokenize(text)
        return [token for piece in pieces.findall(text) for token in tokenize(piece)]

    return tokenize_whole


def tweet_tokenizer(spec: Mapping[str, Any] = TWEET_SPEC, _: object = None) -> Tokenizer:
    """The tokenizer of the thesis: lower-casing and NLTK's TweetTokenizer.

    White space inside a token (NLTK keeps some in phone numbers) becomes an underscore.
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


TOKENIZERS["tweet"] = tweet_tokenizer


def train_punkt(
    texts: Iterable[str], *, max_chars: int = 5_000_000, seed: int = 0
) -> Callable[[str], list[str]]:
    """Train a splitter of paragraphs into sentences, which learns its abbreviations from texts.

    Kiss and Strunk 2006. The texts are streamed once; ``max_chars`` characters of them, drawn at
    random, are learnt from.
    """
    punkt = require("nltk.tokenize.punkt", "train")
    sample: list[str] = []
    size = 0
    rng = random.Random(seed)
    # Reservoir sampling, as the corpus may not fit in memory.
    for seen, text in enumerate(texts, 1):
        if size < max_chars:
            sample.append(text)
            size += len(text)
        elif (place := rng.randrange(seen)) < len(sample):
            sample[place] = text
    trainer = punkt.PunktTrainer()
    trainer.INCLUDE_ALL_COLLOCS = True
    trainer.train("\n".join(sample), finalize=True)
    split: Callable[[str], list[str]] = punkt.PunktSentenceTokenizer(trainer.get_params()).tokenize
    return split
