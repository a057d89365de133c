"""Settings of distillation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pocketintent.settings import Settings, seed_setting, setting


@dataclass(frozen=True)
class DistilSettings(Settings):
    """Settings that, with the targets, determine the result of a run."""

    dim: int = setting(256, "principal components of the targets that are kept", least=1)
    epochs: int = setting(5, "passes over the texts", least=1)
    learning_rate: float = setting(
        0.0025, "initial learning rate of AdaGrad; falls linearly to zero", above=0
    )
    batch_size: int = setting(4096, "texts of a step", least=1, unit="texts")
    min_count: int = setting(
        2,
        "rarer words get no vector, unless they are a text by themselves",
        least=1,
        unit="occurrences",
    )
    max_words: int | None = setting(
        None, "keep only this many of the most frequent words", least=1, unit="words"
    )
    frequency_weight: float = setting(
        0.01,
        "a of the weight a / (a + share of the text) that a word starts with; 0 for no weights",
        least=0,
    )
    validation: float = setting(
        0.02,
        "share of the texts of several words that is held out for measurement",
        least=0,
        below=1,
    )
    tokenizer: Literal["simple", "tweet"] = setting(
        "simple", "`simple` runs on the device, `tweet` is NLTK's"
    )
    seed: int = seed_setting()
