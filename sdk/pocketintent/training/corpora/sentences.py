"""Sentence splitting by Punkt, trained on the corpus itself."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable

from pocketintent.runtime.errors import require


def train_punkt(
    texts: Iterable[str], *, max_chars: int = 5_000_000, seed: int = 0
) -> Callable[[str], list[str]]:
    """Train a sentence splitter, which learns its abbreviations from the texts.

    Kiss and Strunk 2006, without labels; nothing is downloaded.

    Args:
        texts: Paragraphs, streamed once.
        max_chars: Size in characters of the random sample that Punkt learns from.
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
