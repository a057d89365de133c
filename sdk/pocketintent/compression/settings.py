"""Settings of quantisation."""

from __future__ import annotations

from dataclasses import dataclass

from pocketintent.runtime.quantization.packing import MAX_BITS
from pocketintent.settings import check_settings, setting


@dataclass(frozen=True)
class QuantisationSettings:
    """How vectors become codes: arguments of ``quantise_encoder``."""

    sub_dim: int = setting(10, "length of a sub-vector", least=1)
    codebook_size: int = setting(
        128, "number of centroids of a codebook", least=1, most=1 << MAX_BITS
    )
    per_position: bool = setting(
        True, "use one codebook for all positions", off="--shared-codebook"
    )
    normalised: bool = setting(
        True, "quantise the vectors as they are, not directions and norms", off="--no-normalise"
    )
    count_power: float = setting(
        0.5,
        "frequent words shape the codebooks more, by their count to this power",
        least=0,
        most=1,
    )
    rotate: bool = setting(
        True, "do not rotate the vectors at random before they are quantised", off="--no-rotate"
    )

    def check(self) -> None:
        """Raise PocketIntentError for a setting that is not allowed."""
        check_settings(self)
