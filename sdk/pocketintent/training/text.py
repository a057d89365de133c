"""Text of the training side: NLTK's tweet tokenizer, and sentences by an unsupervised Punkt."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pocketintent.runtime.errors import require
from pocketintent.runtime.text import SIMPLE_SPEC, Tokenizer, register_tokenizer

TWEET_SPEC: dict[str, Any] = {"name": "tweet", "version": 1}
"""The manifest entry of models trained with :func:`tweet_tokenizer`."""

TOKENIZER_SPECS: dict[str, dict[str, Any]] = {"simple": SIMPLE_SPEC, "tweet": TWEET_SPEC}


def tweet_tokenizer(spec: Mapping[str, Any] = TWEET_SPEC) -> Tokenizer:
    """Lower-case and NLTK's TweetTokenizer, as the thesis tokenises.

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
        # HTML entities can stand for what no vocabulary can hold: NUL and lone surrogates.
        tokens = (
            token.encode(errors="ignore").decode().replace("\0", " ")
            for token in tokenize(text.replace("\0", " "))
        )
        return [joined for token in tokens if (joined := "_".join(token.split()))]

    return tweet


register_tokenizer("tweet", tweet_tokenizer)


def train_punkt(
    texts: Iterable[str], *, max_chars: int = 5_000_000, seed: int = 0
) -> Callable[[str], list[str]]:
    """A sentence splitter whose abbreviations are learnt from the corpus itself.

    Kiss and Strunk 2006; nothing is downloaded.

    Args:
        texts: Paragraphs.
        max_chars: Punkt learns from a random sample of about this size.
        seed: Seed of the sample.

    Returns:
        A function from a paragraph to its sentences.

    Raises:
        MissingExtraError: NLTK is not installed.
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
    splitter = punkt.PunktSentenceTokenizer(trainer.get_params())

    def split(text: str) -> list[str]:
        sentences: list[str] = splitter.tokenize(text)
        return sentences

    return split
