"""Settings of `train finish`."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from pocketintent.runtime.errors import PocketIntentError


@dataclass(frozen=True)
class FinishSettings:
    """How embeddings are weighted, and what part character n-grams have in them."""

    trained_dim: int = 96  # principal components kept of the trained part; 0: all dimensions
    norm_power: float = 0.5  # a word's trained norm counts to this power
    frequency_weight: float = 0.01  # a of the weight a / (a + share of the text); 0: no weights
    subword_dim: int = 160  # dimensions of the n-gram part; 0: none
    subword_scale: float = 0.8  # its length, against 1 of the trained part
    min_n: int = 2
    max_n: int = 3
    num_buckets: int = 8192
    seed: int = 0

    def check(self) -> None:
        """Raise PocketIntentError for settings that make no sense."""
        if min(asdict(self).values()) < 0:
            raise PocketIntentError("no setting of `train finish` can be negative")
        if self.subword_dim and not (0 < self.min_n <= self.max_n and self.num_buckets > 0):
            raise PocketIntentError("n-grams want 0 < min_n <= max_n and num_buckets > 0")
