"""Settings of distillation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.settings import check_positive, check_values


@dataclass(frozen=True)
class DistilSettings:
    """Settings of a run."""

    dim: int = 256  # principal components of the targets that are kept
    epochs: int = 5
    learning_rate: float = 0.0025  # of AdaGrad; falls linearly to zero
    batch_size: int = 4096  # texts of a step
    min_count: int = 2  # rarer words get no vector, unless they are a text by themselves
    max_words: int | None = None  # only this many of the most frequent words
    frequency_weight: float = 0.01  # a of the first weight a / (a + share of the text); 0: none
    validation: float = 0.02  # share of the texts of several words that is kept out
    tokenizer: Literal["simple", "tweet"] = "simple"
    seed: int = 0

    def check(self) -> None:
        """Raise PocketIntentError for a setting that cannot be trained with."""
        check_values(self)
        check_positive(
            self, "dim", "epochs", "learning_rate", "batch_size", "min_count", "max_words"
        )
        if not 0 <= self.seed < 2**63:
            raise PocketIntentError(f"seed must be 0 or more and below 2**63, not {self.seed}")
        if self.frequency_weight < 0:
            raise PocketIntentError(
                f"frequency_weight cannot be negative, not {self.frequency_weight}"
            )
        if not 0 <= self.validation < 1:
            raise PocketIntentError(
                f"validation is a share from 0 to below 1, not {self.validation}"
            )
