"""Settings of the texts whose vectors a teacher makes."""

from __future__ import annotations

from dataclasses import dataclass

from pocketintent.runtime.arguments import MAX_SEED
from pocketintent.settings import Settings, setting


@dataclass(frozen=True)
class TargetSettings(Settings):
    """What is made from texts before a teacher encodes them, and what is kept of its vectors."""

    single_words: int | None = setting(
        None, "also each word of the texts that occurs so many times", least=1, unit="occurrences"
    )
    teacher_words: bool = setting(False, "also each whole word of the teacher's vocabulary")
    phrases: int = setting(0, "also so many phrases of 2 to 8 words", least=0, unit="texts")
    substitutions: int = setting(
        0,
        "also so many texts in each of which one or two words are replaced by others",
        least=0,
        unit="texts",
    )
    topics: int = setting(
        0,
        "also so many texts in each of which the rarer words are replaced by words of one topic, "
        "by the teacher's vectors",
        least=0,
        unit="texts",
    )
    components: int | None = setting(
        None,
        "principal components that are written of the vectors less their mean, for a smaller "
        "file; a model of this dimension or less is trained on them as on the vectors",
        least=1,
    )
    limit: int | None = setting(
        None, "read only the first words of a file of vectors", least=1, unit="words"
    )
    batch_size: int = setting(64, "texts of a batch", least=1, unit="texts")
    seed: int = setting(0, "seed of every random draw", least=0, most=MAX_SEED)
