"""Settings of ``train finish``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.settings import Settings, check_ngram_lengths, setting


@dataclass(frozen=True)
class FinishSettings(Settings):
    """How words are weighted, and the dimensions that their character n-grams add."""

    trained_dim: int = setting(
        96,
        "principal components kept of the trained part, words weighted by the square root of "
        "their frequency; 0 keeps all dimensions",
        least=0,
    )
    norm_power: float = setting(
        0.5, "power to which the trained length of a word's vector is raised", least=0
    )
    pooling: Literal["centred", "mean", "idf", "sif"] = setting(
        "centred",
        "sentence vector: `centred`, words less the corpus' mean vector, weighted by "
        "`frequency_weight`; `mean`, plain; `idf`, words weighted by inverse document "
        "frequency; `sif`, words weighted by `frequency_weight`, less the first principal "
        "component of the corpus' sentences",
    )
    frequency_weight: float = setting(
        0.01,
        "`centred` and `sif`: a of a word's weight a / (a + share of the text); 0 for no weights",
        least=0,
    )
    subword_dim: int = setting(160, "dimensions of the n-gram part; 0 for none", least=0)
    subword_scale: float = setting(
        0.8, "length of the n-gram part, relative to the trained part", least=0
    )
    min_n: int = setting(
        2, "length of the shortest n-gram, in code points", least=0, unit="code points"
    )
    max_n: int = setting(
        3, "length of the longest n-gram, in code points", least=0, unit="code points"
    )
    num_buckets: int = setting(
        8192,
        "size of the hash table that gives each n-gram a random vector",
        least=0,
        unit="buckets",
    )
    seed: int = setting(0, "seed of the random vectors", least=0)

    def check(self) -> None:
        """Raise PocketIntentError for a setting that is not allowed."""
        super().check()
        if self.subword_dim:
            check_ngram_lengths(self.min_n, self.max_n)
            if self.num_buckets == 0:
                raise PocketIntentError(
                    "num_buckets must be at least 1 unless subword_dim is 0, not 0"
                )
