"""Settings and presets of CharEmb training."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from pocketintent.settings import Settings, seed_setting, setting


@dataclass(frozen=True)
class CharEmbSettings(Settings):
    """Settings that, with the target vectors, determine the result of a run.

    The defaults are the preset ``tiny``. Weight decay, batch, split and early stopping are those
    of the paper, "Extracting Text Representations for Terms and Phrases in Technical Domains",
    Table 5.
    """

    cell: Literal["lstm", "gru", "transformer"] = setting(
        "lstm", "what reads the characters: `lstm`, `gru` or `transformer`"
    )
    char_dim: int = setting(
        64, "dimension of a character's embedding; a transformer's is `hidden` wide", least=1
    )
    hidden: int = setting(
        128, "size of the state of one direction, or width of the transformer", least=1
    )
    layers: int = setting(1, "number of stacked layers", least=1)
    bidirectional: bool = setting(
        True, "whether a text is read from both ends, or from the start only"
    )
    mlp: int = setting(512, "width of the layer between the last states and the vector", least=1)
    heads: int = setting(4, "attention heads of a transformer", least=1)
    dropout: float = setting(  # the paper's 0.2 is for networks of its size
        0.0,
        "share of the numbers dropped in training: on embeddings, between layers, on the last "
        "states and inside the MLP",
        least=0,
        below=1,
    )
    reads: Literal["text", "words"] = setting(
        "text",
        "what the network reads at once: a whole `text`, or single `words`, whose vectors are then "
        "added up",
    )
    max_chars: int = setting(
        128, "characters read of a text or, with `words`, of a word", least=1, unit="code points"
    )
    min_char_count: int = setting(
        5,
        "characters that occur in fewer terms become the unknown character",
        least=1,
        unit="terms",
    )
    learning_rate: float = setting(3e-3, "learning rate of Adam", above=0)
    schedule: Literal["constant", "linear"] = setting(
        "linear", "learning rate: `linear` falls to zero over all epochs, `constant` stays the same"
    )
    weight_decay: float = setting(1e-8, "weight decay of Adam", least=0)
    clip: float = setting(1.0, "length to which longer gradients are shortened", above=0)
    batch_size: int = setting(256, "terms of a step", least=1, unit="terms")
    epochs: int = setting(60, "largest number of passes over the terms", least=1)
    patience: int = setting(
        10,
        "epochs without a better validation cosine after which training stops; 0 for never",
        least=0,
        unit="epochs",
    )
    validation: float = setting(
        0.2,
        "share of the terms that is held out; 0 trains on all and keeps the last weights",
        least=0,
        below=1,
    )
    typing_errors: float = setting(
        0.25,
        "share of the terms of a step that are misspelt; its square is the share with two errors",
        least=0,
        most=1,
    )
    unknown: float = setting(
        0.005,
        "share of the characters of a step that are replaced by the unknown character, so that "
        "its embedding is learnt",
        least=0,
        below=1,
    )
    norm_weight: float = setting(
        0.1,
        "weight of a vector's length in the loss: of the error of its logarithm; 0 does not learn "
        "lengths",
        least=0,
    )
    rank_power: float = setting(
        0.0,
        "a term is drawn in proportion to (rank in the target + 1) to minus this power; 0 for "
        "each term once an epoch",
        least=0,
    )
    seed: int = seed_setting()

    @property
    def recurrent(self) -> bool:
        """Whether the cell is an LSTM or a GRU."""
        return self.cell != "transformer"


_PAPER = CharEmbSettings(
    hidden=512,
    mlp=640,
    dropout=0.2,
    learning_rate=1e-3,
    schedule="constant",
    epochs=200,  # early stopping usually ends the run earlier
    typing_errors=0.0,
    norm_weight=0.0,
)

PRESETS: dict[str, CharEmbSettings] = {
    "tiny": CharEmbSettings(),
    "small": _PAPER,
    "base": replace(_PAPER, layers=2),
    "large": replace(_PAPER, layers=2, hidden=768, mlp=1024, learning_rate=5e-4),
}
"""``small``, ``base`` and ``large`` of the paper; ``tiny``, which two cores train in half an hour.

The paper's presets have its cell, directions, ``hidden``, ``layers``, ``dropout``,
``learning_rate``, ``weight_decay`` and ``batch_size`` (Table 5), its split and early stopping, and
its loss: the cosine alone, over terms as they are written. It does not name ``char_dim``, ``mlp``,
``max_chars``, ``min_char_count``, ``clip``, ``epochs`` and ``unknown``. A network to combine with a
table of words also needs ``norm_weight``, one for misspelt text ``typing_errors``, as in ``tiny``.

As int8 with 256 dimensions ``tiny`` takes at most 0.6 MB and ``small`` at most 3.5 MB.
"""
