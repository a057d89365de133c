"""The texts that ``encoding.py`` times encoders on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.speed.encoders.systems import SEED
from pocketintent.evaluation.intents.datasets import load_intent_data
from pocketintent.records import read_objects
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.corpora.typing_errors import add_typing_errors

KINDS = ("words", "phrases", "utterances")


@dataclass(frozen=True)
class Texts:
    """Texts of one kind, with a number of typing errors in each."""

    kind: str
    errors: int
    timed: list[str]
    others: list[str]
    """Texts to encode before the timed ones."""


def read_texts(data: Path, kind: str) -> list[str]:
    """All distinct texts of a kind, in a random order.

    Raises:
        PocketIntentError: A file is missing or bad.
    """
    if kind == "utterances":
        texts = load_intent_data(data / "intents" / "clinc150").query_texts
    else:
        documents = read_objects(data / "terms" / "inspec.jsonl")
        phrases = [" ".join(phrase.split()) for _, d in documents for phrase in d["keyphrases"]]
        texts = [phrase for phrase in phrases if (" " in phrase) == (kind == "phrases")]
    texts = [text for text in dict.fromkeys(texts) if any(map(str.isalpha, text))]
    return [texts[place] for place in np.random.default_rng(SEED).permutation(len(texts))]


def draw_texts(data: Path, errors: Sequence[int], timed: int, others: int) -> Iterator[Texts]:
    """The texts of each kind with each number of typing errors: the same texts each time.

    Args:
        data: The folder of the data sets.
        errors: Numbers of typing errors.
        timed: Texts to time.
        others: Texts to encode before them.

    Raises:
        PocketIntentError: A file is missing or bad, or has too few texts.
    """
    for count in errors:
        for kind in KINDS:
            texts = read_texts(data, kind)[: others + timed]
            if len(texts) < others + timed:
                raise PocketIntentError(
                    f"{others + timed} {kind} are asked for; the data have {len(texts)}"
                )
            rng = np.random.default_rng(SEED)
            misspelt = [add_typing_errors(text, count, rng) for text in texts]
            yield Texts(kind, count, misspelt[others:], misspelt[:others])
