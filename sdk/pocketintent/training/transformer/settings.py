"""Settings of the training of transformer encoders."""

from __future__ import annotations

from dataclasses import dataclass

from pocketintent.settings import Settings, seed_setting, setting


@dataclass(frozen=True)
class TransformerSettings(Settings):
    """Settings that, with the targets, determine the result of a run."""

    layers: int = setting(4, "layers that are kept of the network to start from", least=1, most=64)
    feedforward: int = setting(
        768, "hidden units that are kept of each of its feed-forward parts", least=1
    )
    max_words: int = setting(
        24000, "most entries of the vocabulary: words, and pieces of others", least=1, unit="words"
    )
    min_count: int = setting(12, "rarer words are read as pieces", least=1, unit="occurrences")
    epochs: int = setting(4, "passes over the texts", least=1)
    learning_rate: float = setting(
        0.001, "learning rate (AdamW); rises for 100 steps, then falls linearly to zero", above=0
    )
    batch_words: int = setting(5120, "about as many pieces as a step has", least=1, unit="pieces")
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
    max_length: int = setting(
        64,
        "longer texts are cut to this number of pieces in training",
        least=1,
        most=256,
        unit="pieces",
    )
    validation: float = setting(
        0.01,
        "share of the texts of several pieces that is held out for measurement",
        least=0,
        below=1,
    )
    seed: int = seed_setting()
