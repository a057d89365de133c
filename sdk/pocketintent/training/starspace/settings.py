"""Settings of StarSpace training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.settings import Settings, check_ngram_lengths, seed_setting, setting


@dataclass(frozen=True)
class StarSpaceSettings(Settings):
    """Settings that, with the corpus, determine the result of a run.

    The defaults are those of the thesis, where it names them.
    """

    mode: Literal["word", "sentence", "labelled"] = setting(
        "word",
        "what is learnt: `word`, a word from its context; `sentence`, a sentence from another "
        "sentence of its document, or half of it from the other half; `labelled`, the label of an "
        "utterance",
    )
    dim: int = setting(300, "dimension of the embeddings", least=1)
    share_sides: bool = setting(
        True,
        "word mode: a word has the same embedding as context and as target, so that words become "
        "similar when they occur together; without, when they share contexts",
    )
    window: int = setting(5, "context words on each side of a word", least=1, unit="words")
    negatives: int = setting(5, "wrong right sides that each example is compared with", least=1)
    violations: Literal["sum", "mean"] = setting(
        "sum",
        "margin loss: an example's gradient is the `sum` or the `mean` over the negatives that are "
        "within the margin",
    )
    negative_power: float = setting(
        1.0,
        "word and labelled mode: negatives are drawn in proportion to their count to this power: "
        "0 uniformly, 1 by frequency",
    )
    loss: Literal["margin", "softmax"] = setting(
        "margin", "`margin`, a ranking loss over cosine, or `softmax`, over dot product"
    )
    margin: float = setting(
        0.05, "how much more similar the right side must be than a negative", least=0
    )
    bag_power: float = setting(
        0.0,
        "softmax loss: the sum of a bag is divided by its size to this power: 0 for the sum, 1 for "
        "the mean",
        least=0,
        most=1,
    )
    optimizer: Literal["adagrad", "sgd"] = setting(
        "adagrad", "`adagrad`, with one accumulator for each row, or plain `sgd`"
    )
    accumulate: Literal["batch", "example"] = setting(
        "batch",
        "`adagrad`: what is squared and accumulated, the gradient of a `batch` or the gradient of "
        "each `example`",
    )
    learning_rate: float = setting(0.05, "initial value; falls linearly to zero", above=0)
    epochs: int = setting(32, "passes over the corpus", least=1)
    batch_tokens: int = setting(
        4096,
        "size of a step: slots in word mode, each of them an example; approximate number of words "
        "in the other modes",
        unit="slots",
    )
    row_length: int = setting(
        32, "word mode: slots of a row, whose examples share their negatives", least=2, unit="slots"
    )
    min_count: int = setting(1, "rarer words get no embedding", least=1, unit="occurrences")
    max_words: int | None = setting(
        None, "keep only this many of the most frequent words", least=1, unit="words"
    )
    subsample: float = setting(
        0.0,
        "a word whose share s of the text exceeds this t is kept with probability sqrt(t/s); 0 "
        "keeps all",
        least=0,
    )
    init_scale: float = setting(
        0.001, "standard deviation of the initial embedding values", least=0
    )
    max_norm: float | None = setting(1.0, "longer embeddings are shortened to this length", above=0)
    bound_targets: bool = setting(
        True, "without `share_sides`, `max_norm` also bounds a word's embedding as a target"
    )
    num_buckets: int = setting(
        0,
        "buckets of the hashed character n-grams that are added to each word and give unknown "
        "words a vector; 0 for none",
        least=0,
        unit="buckets",
    )
    min_n: int = setting(3, "length of the shortest n-gram, in code points", unit="code points")
    max_n: int = setting(5, "length of the longest n-gram, in code points", unit="code points")
    tokenizer: Literal["simple", "tweet"] = setting(
        "simple", "`simple` runs on the device, `tweet` is NLTK's"
    )
    split: Literal["tabs", "punkt"] = setting(
        "tabs", "sentences of a line are separated by `tabs`, or found by `punkt`"
    )
    seed: int = seed_setting()

    def check(self) -> None:
        """Raise PocketIntentError for a setting that is not allowed."""
        super().check()
        if self.batch_tokens < self.row_length:
            raise PocketIntentError(
                f"row_length must be at most batch_tokens, not {self.row_length} with a "
                f"batch_tokens of {self.batch_tokens}"
            )
        if self.num_buckets:
            check_ngram_lengths(self.min_n, self.max_n)
