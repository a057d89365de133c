"""Settings of term extraction."""

from __future__ import annotations

from dataclasses import dataclass

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.settings import Settings, setting


@dataclass(frozen=True)
class TermSettings(Settings):
    """Settings that, with the corpus, determine which terms are found."""

    min_length: int = setting(
        2, "words of the shortest term; 1 includes single words", least=1, unit="words"
    )
    max_length: int = setting(4, "words of the longest term", least=1, unit="words")
    min_count: int = setting(
        5,
        "rarer words and phrases are left out; raise it with the size of the corpus",
        least=1,
        unit="occurrences",
    )
    min_cohesion: float = setting(
        0.2,
        "smallest NPMI of a phrase, from 0 (its words co-occur by chance) to 1 (they never occur "
        "apart); phrases with a lower one are left out",
        least=0,
        most=1,
    )
    cohesion_power: float = setting(
        2.0,
        "power of the cohesion in the score, against frequency; 0 scores by frequency alone",
        least=0,
    )
    max_terms: int | None = setting(
        50_000, "keep only this many of the best terms", least=1, unit="terms"
    )
    max_words: int = setting(
        1_000_000, "words kept in memory while counting", least=2, unit="words"
    )
    max_phrases: int = setting(
        2_000_000,
        "phrases kept in memory while counting, some 150 bytes each; beyond that rare phrases are "
        "dropped, and counts may be too low by a number that is reported",
        least=2,
        unit="phrases",
    )

    def check(self) -> None:
        """Raise PocketIntentError for a setting that is not allowed."""
        super().check()
        if self.min_length > self.max_length:
            raise PocketIntentError(
                f"min_length must be at most max_length, not {self.min_length} with a max_length "
                f"of {self.max_length}"
            )
