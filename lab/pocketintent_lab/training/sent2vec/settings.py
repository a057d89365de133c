"""Settings of Sent2Vec training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pocketintent.settings import Settings, seed_setting, setting


@dataclass(frozen=True)
class Sent2VecSettings(Settings):
    """Settings that, with the corpus, determine the result of a run."""

    dim: int = setting(300, "dimension of the embeddings", least=1)
    epochs: int = setting(8, "passes over the corpus", least=1)
    negatives: int = setting(10, "random words that each right word is compared with", least=1)
    negative_power: float = setting(
        0.5,
        "negatives are drawn in proportion to their count to this power: 0 uniformly, 1 by "
        "frequency",
    )
    num_buckets: int = setting(
        100_000,
        "rows of the hashed bigrams, which take part in training but not in the model; 0 for none",
        least=0,
        unit="buckets",
    )
    subsample: float = setting(
        0.0,
        "a word whose share s of the text exceeds this t is predicted with probability "
        "sqrt(t/s) + t/s; it is always in the context of other words; 0 predicts all",
        least=0,
    )
    optimizer: Literal["adagrad", "sgd"] = setting(
        "adagrad", "`adagrad`, with one accumulator for each row, or plain `sgd`"
    )
    learning_rate: float = setting(0.5, "initial value; falls linearly to zero", above=0)
    batch_tokens: int = setting(4096, "approximate number of words in a step", least=1)
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
