"""Settings of the training of contextual encoders."""

from __future__ import annotations

from dataclasses import dataclass

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.settings import Settings, seed_setting, setting


@dataclass(frozen=True)
class ContextualSettings(Settings):
    """Settings that, with the targets, determine the result of a run."""

    dim: int = setting(256, "principal components of the targets that are kept", least=1)
    hidden: int = setting(256, "size of the hidden layer of a word", least=1, most=4096)
    width: int = setting(
        5, "words that it reads: the word itself and its neighbours; odd", least=1, most=31
    )
    word_share: float = setting(
        0.3,
        "how much of the sum of the words by themselves is added to the vector of a text, after "
        "training",
        least=0,
        most=16,
    )
    epochs: int = setting(8, "passes over the texts", least=1)
    learning_rate: float = setting(
        0.002, "learning rate of the network (AdamW); falls linearly to zero", above=0
    )
    row_learning_rate: float = setting(
        0.002, "learning rate of words and n-grams (Adam); falls linearly to zero", above=0
    )
    batch_words: int = setting(5120, "about as many words as a step has", least=1, unit="words")
    similarity_weight: float = setting(
        2.0, "weight of the squared errors of the similarities within a batch", least=0
    )
    contrast_weight: float = setting(
        0.1, "weight of the cross-entropy of finding a text's target in its batch", least=0
    )
    paraphrase_weight: float = setting(
        0.12, "weight of the contrast of paraphrases, if there are any", least=0
    )
    paraphrase_temperature: float = setting(
        0.08, "temperature of that contrast: the smaller, the more near texts count", above=0
    )
    min_count: int = setting(
        2,
        "rarer words get no vector, unless they are a text by themselves",
        least=1,
        unit="occurrences",
    )
    max_words: int | None = setting(
        None, "keep only this many of the most frequent words", least=1, unit="words"
    )
    unknown: float = setting(
        0.05, "share of the words that are read by their n-grams in training", least=0, most=1
    )
    num_buckets: int = setting(16384, "hash table of the n-grams", least=1, most=1 << 24)
    min_n: int = setting(3, "shortest n-gram", least=1, most=64, unit="characters")
    max_n: int = setting(5, "longest n-gram", least=1, most=64, unit="characters")
    frequency_weight: float = setting(
        0.01,
        "a of the weight a / (a + share of the text) that a word starts with; 0 for no weights",
        least=0,
    )
    max_length: int = setting(
        48, "longer texts are cut to this number of words in training", least=1, unit="words"
    )
    validation: float = setting(
        0.01,
        "share of the texts of several words that is held out for measurement",
        least=0,
        below=1,
    )
    seed: int = seed_setting()

    def check(self) -> None:
        """Raise PocketIntentError for a setting that is not allowed."""
        super().check()
        if self.width % 2 == 0:
            raise PocketIntentError(f"width must be an odd number, not {self.width}")
        if self.min_n > self.max_n:
            raise PocketIntentError(f"min_n must be at most max_n, {self.max_n}, not {self.min_n}")
