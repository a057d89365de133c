"""Settings of InferSent training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pocketintent.settings import Settings, seed_setting, setting
from pocketintent_lab.encoders.infersent.network import MAX_HIDDEN

LEARNING_RATES = {"sgd": 0.1, "adam": 1e-3}
"""Initial learning rate of each optimiser: the paper's for SGD, the usual value for Adam."""


@dataclass(frozen=True)
class InferSentSettings(Settings):
    """Settings that, with the pairs and the word vectors, determine the result of a run.

    The schedule of the learning rate, the batch, the clipping and the width of the classifier are
    those of the paper (Conneau et al. 2017, section 3.3).
    """

    hidden: int = setting(
        256,
        "size of the LSTM's state in one direction; the sentence vectors are twice as long (the "
        "paper: 2048)",
        least=1,
        most=MAX_HIDDEN,
    )
    mlp: int = setting(512, "width of the classifier's hidden layer", least=1)
    dropout: float = setting(
        0.0,
        "share of the numbers dropped in training: of the words' vectors, and of the classifier's "
        "inputs",
        least=0,
        below=1,
    )
    optimizer: Literal["sgd", "adam"] = setting(
        "adam", "`adam`, or `sgd` as in the paper, for much larger sets of pairs"
    )
    learning_rate: float | None = setting(
        None, "initial value; none is 0.1 for `sgd` and 0.001 for `adam`", above=0
    )
    decay: float = setting(0.99, "factor of the learning rate after each epoch", above=0, most=1)
    shrink: float = setting(
        5.0,
        "divisor of the learning rate after an epoch without a better validation figure",
        least=1,
    )
    min_learning_rate: float = setting(
        1e-5, "training ends when validation brings the learning rate below this", above=0
    )
    clip: float = setting(5.0, "length to which longer gradients are shortened", above=0)
    batch_size: int = setting(64, "pairs of a step", least=1, unit="pairs")
    epochs: int = setting(20, "largest number of passes over the pairs", least=1)
    validation: float = setting(
        0.1,
        "share of the pairs that is held out; 0 trains on all and keeps the last weights",
        least=0,
        below=1,
    )
    seed: int = seed_setting()

    @property
    def first_learning_rate(self) -> float:
        """The initial learning rate."""
        if self.learning_rate is None:
            return LEARNING_RATES[self.optimizer]
        return self.learning_rate
