"""Settings of Word2Vec and FastText."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.settings import check_positive, check_values


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
        check_values(self)
        check_positive(
            *(self, "dim", "window", "epochs", "negatives", "min_count", "workers", "max_words")
        )
        # Vectors that overflow would make gensim read outside of its table of the sigmoid.
        if not 0 < self.min_learning_rate <= self.learning_rate <= 10:
            raise PocketIntentError(
                "the learning rates want 0 < min_learning_rate <= learning_rate <= 10, not "
                f"{self.min_learning_rate} and {self.learning_rate}"
            )
        if self.subsample < 0:
            raise PocketIntentError(f"subsample must be 0 or more, not {self.subsample}")
        if not 0 <= self.seed < 1 << 32:
            raise PocketIntentError(f"seed must be in 0..{(1 << 32) - 1}, not {self.seed}")
        if not 1 <= self.min_n <= self.max_n <= 64 or self.num_buckets < 1:
            raise PocketIntentError("n-grams want 1 <= min_n <= max_n <= 64 and num_buckets >= 1")
