"""Settings of GloVe training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pocketintent.settings import Settings, seed_setting, setting


@dataclass(frozen=True)
class GloveSettings(Settings):
    """Settings that, with the corpus, determine the result of a run.

    The defaults are those of the paper, except ``epochs``, ``min_count`` and the batches.
    """

    dim: int = setting(300, "dimension of the embeddings", least=1)
    window: int = setting(
        10,
        "words on each side of a word that occur together with it; at distance d a pair counts 1/d",
        least=1,
        most=1000,
        unit="words",
    )
    x_max: float = setting(100.0, "counts from this value have the full weight of 1", above=0)
    alpha: float = setting(
        0.75, "a smaller count x has the weight (x / x_max) to this power", least=0, most=10
    )
    learning_rate: float = setting(
        0.05, "initial learning rate of AdaGrad; falls linearly to zero", above=0
    )
    epochs: int = setting(25, "passes over the counts", least=1)
    batch_size: int = setting(4096, "pairs of words in a step", least=1, unit="pairs")
    memory: int = setting(
        1000,
        "approximate memory for counting; counts beyond it are kept on disk, and the result is "
        "the same",
        least=1,
        most=1_000_000,
        unit="MB",
    )
    min_count: int = setting(1, "rarer words get no embedding", least=1, unit="occurrences")
    max_words: int | None = setting(
        None, "keep only this many of the most frequent words", least=1, unit="words"
    )
    tokenizer: Literal["simple", "tweet"] = setting(
        "simple", "`simple` runs on the device, `tweet` is NLTK's"
    )
    split: Literal["tabs", "punkt"] = setting(
        "tabs", "sentences of a line are separated by `tabs`, or found by `punkt`"
    )
    seed: int = seed_setting()
