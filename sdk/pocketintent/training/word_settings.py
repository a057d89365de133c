"""Settings of Word2Vec and FastText."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args, get_origin, get_type_hints

from pocketintent.runtime.errors import PocketIntentError


@dataclass(frozen=True)
class WordSettings:
    """How word vectors are trained; ``docs/vectors.md`` describes each setting.

    The defaults of ``dim``, ``window`` and ``epochs`` are those of the CharEmb paper («Extracting
    Text Representations for Terms and Phrases in Technical Domains»: CBOW, window 8, 25 epochs,
    200 dimensions); the others are gensim's, but for ``num_buckets``, where it has two million.
    """

    method: Literal["word2vec", "fasttext"] = "word2vec"
    architecture: Literal["cbow", "skipgram"] = "cbow"
    dim: int = 200
    window: int = 8
    epochs: int = 25
    negatives: int = 5
    subsample: float = 1e-3
    learning_rate: float = 0.025
    min_learning_rate: float = 1e-4
    min_count: int = 5
    max_words: int | None = None
    min_n: int = 3
    max_n: int = 6
    num_buckets: int = 100_000
    tokenizer: Literal["simple", "tweet"] = "simple"
    seed: int = 0
    workers: int = 1

    def check(self) -> None:
        """Raise PocketIntentError for settings that make no sense."""
        for name, hint in get_type_hints(WordSettings).items():
            if get_origin(hint) is Literal and getattr(self, name) not in get_args(hint):
                raise PocketIntentError(f"{name} must be one of {', '.join(get_args(hint))}")
        for name in ("dim", "window", "epochs", "negatives", "min_count", "workers"):
            if getattr(self, name) < 1:
                raise PocketIntentError(f"{name} must be 1 or more, not {getattr(self, name)}")
        if self.max_words is not None and self.max_words < 1:
            raise PocketIntentError(f"max_words must be 1 or more, not {self.max_words}")
        # Vectors that overflow would make gensim read outside of its table of the sigmoid.
        if not 0 < self.min_learning_rate <= self.learning_rate <= 10:
            raise PocketIntentError(
                "the learning rates want 0 < min_learning_rate <= learning_rate <= 10, not "
                f"{self.min_learning_rate} and {self.learning_rate}"
            )
        if not 0 <= self.subsample < math.inf:
            raise PocketIntentError(f"subsample must be 0 or more, not {self.subsample}")
        if not 0 <= self.seed < 1 << 32:
            raise PocketIntentError(f"seed must be in 0..{(1 << 32) - 1}, not {self.seed}")
        if not 1 <= self.min_n <= self.max_n <= 64 or self.num_buckets < 1:
            raise PocketIntentError("n-grams want 1 <= min_n <= max_n <= 64 and num_buckets >= 1")
