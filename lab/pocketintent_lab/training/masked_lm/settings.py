"""Settings of the training of masked language models."""

from __future__ import annotations

from dataclasses import dataclass

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.settings import Settings, seed_setting, setting


@dataclass(frozen=True)
class MaskedLmSettings(Settings):
    """Settings that, with the corpus, determine the result of a run."""

    layers: int = setting(4, "blocks of the transformer", least=1, most=48)
    dim: int = setting(256, "size of the hidden states", least=1, most=4096)
    heads: int = setting(4, "attention heads of a block; a divisor of `dim`", least=1, most=64)
    hidden: int = setting(1024, "size of the hidden layer of a block", least=1, most=16384)
    vocabulary: int = setting(8192, "largest number of word pieces", least=16, unit="tokens")
    max_tokens: int = setting(
        64, "longest input, with its two special tokens", least=3, most=4096, unit="tokens"
    )
    mask_share: float = setting(0.15, "share of the tokens that are predicted", above=0, below=1)
    epochs: int = setting(4, "passes over the corpus", least=1)
    learning_rate: float = setting(
        0.001, "learning rate (AdamW); rises for `warm_up` and then falls linearly to zero", above=0
    )
    weight_decay: float = setting(0.01, "weight decay of the matrices", least=0)
    warm_up: float = setting(
        0.03, "share of the run in which the learning rate rises", above=0, below=1
    )
    batch_tokens: int = setting(
        4096, "tokens of a step; the texts of a step have equal length", least=1, unit="tokens"
    )
    validation: float = setting(
        0.005, "share of the texts that is held out for measurement", least=0, below=1
    )
    seed: int = seed_setting()

    def check(self) -> None:
        """Raise PocketIntentError for a setting that is not allowed."""
        super().check()
        if self.dim % self.heads:
            raise PocketIntentError(
                f"dim must be a multiple of heads, {self.heads}, not {self.dim}"
            )
