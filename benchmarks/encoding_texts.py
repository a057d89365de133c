"""The texts that ``encoding.py`` times encoders on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from encoding_systems import SEED
from pocketintent.evaluation.intents.datasets import load_intent_data
from pocketintent.evaluation.keyphrases.scoring import read_keyphrases
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.text.typing_errors import add_typing_errors

KINDS = ("words", "phrases", "utterances")


@dataclass(frozen=True)
class Texts:
    """Texts of one kind, with so many typing errors."""

    kind: str
    errors: int
    timed: list[str]
    others: list[str]
    """Texts that come before those that are timed."""


def read_texts(data: Path, kind: str) -> list[str]:
    """All different texts of a kind, in a random order.

    Raises:
        PocketIntentError: A file is missing or bad.
    """
    if kind == "utterances":
        found = load_intent_data(data / "intents" / "clinc150").query_texts
    else:
        documents = read_keyphrases(data / "terms" / "inspec.jsonl")
        phrases = [" ".join(phrase.split()) for d in documents for phrase in d.keyphrases]
        found = [phrase for phrase in phrases if (" " in phrase) == (kind == "phrases")]
    texts = [text for text in dict.fromkeys(found) if any(map(str.isalpha, text))]
    return [texts[place] for place in np.random.default_rng(SEED).permutation(len(texts))]


def draw_texts(data: Path, errors: Sequence[int], timed: int, others: int) -> Iterator[Texts]:
    """The texts of each kind with each number of typing errors, which are the same texts.

    Args:
        data: The folder of all data.
        errors: Numbers of typing errors.
        timed: Texts to time.
        others: Texts that come before them.

    Raises:
        PocketIntentError: A file is missing or bad, or has too few texts.
    """
    for count in errors:
        for kind in KINDS:
            texts = read_texts(data, kind)[: others + timed]
            if len(texts) < others + timed:
                raise PocketIntentError(
                    f"{kind}: {len(texts)} are there, {others + timed} are asked for"
                )
            rng = np.random.default_rng(SEED)
            drawn = [add_typing_errors(text, count, rng) for text in texts]
            yield Texts(kind, count, drawn[others:], drawn[:others])
