"""Everything that, with the corpus, decides what a StarSpace run gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.settings import check_positive, check_values

Mode = Literal["word", "sentence", "labelled"]


@dataclass(frozen=True)
class StarSpaceSettings:
    """Settings of a run; the defaults are those of the thesis, where it names them."""

    mode: Mode = "word"  # a word in its context, a sentence in its document, an utterance's label
    dim: int = 300
    share_sides: bool = True  # a word has one embedding as context and as target (word mode)
    window: int = 5  # words on each side that make a word's context
    negatives: int = 5  # k, wrong right sides that each example is compared with
    negative_power: float = 0.5  # negatives are drawn by frequency to this power
    loss: Literal["margin", "softmax"] = "margin"  # over cosine, or over dot product
    margin: float = 0.05
    optimizer: Literal["adagrad", "sgd"] = "adagrad"
    learning_rate: float = 0.05  # falls linearly to zero
    epochs: int = 32
    batch_tokens: int = 4096  # slots of a step; in word mode each is an example
    row_length: int = 32  # slots of a row of word mode, whose examples share their negatives
    min_count: int = 1  # rarer words get no embedding
    max_words: int | None = None  # only this many of the most frequent words
    subsample: float = 0.0  # words above this share of the text are skipped at random; 0: never
    init_scale: float = 0.001  # standard deviation of a fresh embedding's elements
    max_norm: float | None = 1.0  # longer embeddings are cut to this length; None: never
    num_buckets: int = 0  # hashed character n-grams added to each word; 0 for none
    min_n: int = 3
    max_n: int = 5
    tokenizer: Literal["simple", "tweet"] = "simple"
    split: Literal["tabs", "punkt"] = "tabs"  # a line's sentences: tab-separated, or found by Punkt
    seed: int = 0

    def check(self) -> None:
        """Raise PocketIntentError for a setting that cannot be trained with."""
        check_values(self)
        check_positive(
            *(self, "dim", "window", "negatives", "learning_rate", "epochs", "min_count"),
            *("max_words", "max_norm"),
        )
        if self.row_length < 2 or self.batch_tokens < self.row_length:
            raise PocketIntentError("wanted 2 <= row_length <= batch_tokens")
        if min(self.subsample, self.num_buckets, self.init_scale, self.margin) < 0:
            raise PocketIntentError(
                "subsample, num_buckets, init_scale and margin cannot be negative"
            )
        if self.num_buckets and not 0 < self.min_n <= self.max_n:
            raise PocketIntentError("n-grams want 0 < min_n <= max_n")
        if not 0 <= self.seed < 2**63:
            raise PocketIntentError(f"seed must be 0 or more and below 2**63, not {self.seed}")
