"""Settings of ConvRR and FCRR training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pocketintent.runtime.encoders.contextual.network import MAX_WIDTH
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.settings import Settings, seed_setting, setting


@dataclass(frozen=True)
class ConvrrSettings(Settings):
    """Settings that, with the texts and the vectors, determine the result of a run."""

    network: Literal["convrr", "fcrr"] = setting(
        "convrr", "`convrr` reads windows of words, `fcrr` the vector of the whole text"
    )
    width: int = setting(
        5, "words of a window of `convrr`; odd", least=1, most=MAX_WIDTH, unit="words"
    )
    kernels: int | None = setting(
        None,
        "number of kernels, which a matrix maps back to the dimensions of the vectors; none for a "
        "kernel for each dimension and no matrix, as in the paper",
        least=1,
        most=4096,
    )
    scale: float = setting(
        0.05, "factor sf of the averaged kernels, which are added to the vector", above=0, most=100
    )
    margin: float = setting(
        1.0, "a text of another group should be farther than one of its own by this", above=0
    )
    mining: Literal["hard", "semi-hard"] = setting(
        "hard",
        "`hard` compares the farthest text of the group with the nearest of another; `semi-hard` "
        "compares each text of the group with the nearest that is farther than it",
    )
    epochs: int = setting(50, "passes over the texts", least=1)
    learning_rate: float = setting(0.001, "learning rate of Adam", above=0)
    weight_decay: float = setting(0.001, "weight decay of Adam", least=0)
    batch_size: int = setting(512, "approximate number of texts in a step", least=2, unit="texts")
    seed: int = seed_setting()

    def check(self) -> None:
        """Raise PocketIntentError for a setting that is not allowed."""
        super().check()
        if self.width % 2 == 0:
            raise PocketIntentError(f"width must be an odd number, not {self.width}")
