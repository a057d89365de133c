"""Settings of term extraction."""

from __future__ import annotations

import math
from dataclasses import dataclass

from pocketintent.runtime.errors import PocketIntentError


@dataclass(frozen=True)
class TermSettings:
    """What, with the corpus, decides which terms come out."""

    min_length: int = 2  # words of the shortest term
    max_length: int = 4  # words of the longest term
    min_count: int = 5  # rarer words and phrases are left out
    min_cohesion: float = 0.2  # phrases with a lower NPMI are left out
    cohesion_power: float = 2.0  # the cohesion counts to this power in the score
    max_terms: int | None = 50_000  # only this many of the best
    max_words: int = 1_000_000  # words held in memory while counting
    max_phrases: int = 2_000_000  # candidates held in memory while counting

    def check(self) -> None:
        """Raise PocketIntentError for settings that cannot be worked with."""
        if not 1 <= self.min_length <= self.max_length:
            raise PocketIntentError("wanted 1 <= min_length <= max_length")
        if self.min_count < 1 or (self.max_terms is not None and self.max_terms < 1):
            raise PocketIntentError("min_count and max_terms must be 1 or more")
        if not 0.0 <= self.min_cohesion <= 1.0:
            raise PocketIntentError(f"min_cohesion must be 0 to 1, not {self.min_cohesion}")
        if not 0.0 <= self.cohesion_power < math.inf:
            raise PocketIntentError(
                f"cohesion_power must be 0 or more and finite, not {self.cohesion_power}"
            )
        if min(self.max_words, self.max_phrases) < 2:
            raise PocketIntentError("max_words and max_phrases must be 2 or more")
