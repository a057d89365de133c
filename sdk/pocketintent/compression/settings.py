"""Settings of quantisation, and of the combination of words with a character network."""

from __future__ import annotations

from dataclasses import dataclass

from pocketintent.runtime.encoders.combined import DEFAULT_ATTENTION, Attention
from pocketintent.runtime.quantization.quantizer import MAX_BITS
from pocketintent.settings import Settings, setting


@dataclass(frozen=True)
class QuantisationSettings(Settings):
    """How vectors become codes: arguments of ``quantise_encoder``."""

    sub_dim: int = setting(10, "length of a sub-vector", least=1)
    codebook_size: int = setting(128, "centroids of a codebook", least=1, most=1 << MAX_BITS)
    per_position: bool = setting(True, "a codebook for each position of a sub-vector, or for all")
    normalised: bool = setting(True, "quantise directions and norms apart, or vectors as a whole")
    count_power: float = setting(
        0.5,
        "frequent words shape the codebooks more, by their count to this power",
        least=0,
        most=1,
    )
    rotate: bool = setting(True, "rotate the vectors at random before they are quantised")


@dataclass(frozen=True)
class CombinationSettings(Settings):
    """How a character network joins word vectors: arguments of ``combine_encoders``."""

    blend: float = setting(0.15, "share of the network in known words", least=0, below=1)
    attention: float = setting(
        DEFAULT_ATTENTION.share,
        "share of similar known words in the vector of an unknown word; 0 for none",
        least=0,
        most=1,
    )
    temperature: float = setting(
        DEFAULT_ATTENTION.temperature,
        "temperature of the attention: the smaller, the fewer words contribute",
        above=0,
        most=1,
    )
    unknown_weight: float = setting(
        DEFAULT_ATTENTION.weight,
        "of the attention: factor on the length of an unknown word's vector",
        above=0,
        most=1,
    )
    attention_words: int | None = setting(
        DEFAULT_ATTENTION.words,
        "of the attention: only so many of the most frequent words contribute",
        least=1,
        unit="words",
    )

    def make_attention(self) -> Attention | None:
        """The settings of the attention; None without attention."""
        settings = (self.attention, self.temperature, self.unknown_weight, self.attention_words)
        return Attention(*settings) if self.attention else None
