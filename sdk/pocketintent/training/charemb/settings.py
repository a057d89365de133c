"""Everything that, with the target vectors, decides what a CharEmb run gives."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.settings import check_positive, check_values


@dataclass(frozen=True)
class CharEmbSettings:
    """Settings of a run; the defaults are the preset ``tiny``.

    Weight decay, batch, split and early stopping are those of the paper, Table 5.
    """

    cell: Literal["lstm", "gru", "transformer"] = "lstm"
    char_dim: int = 64  # a character's embedding; a transformer's is `hidden` wide
    hidden: int = 128  # state of one direction
    layers: int = 1
    bidirectional: bool = True
    mlp: int = 512  # width of the layer between the last states and the vector
    heads: int = 4  # of a transformer
    dropout: float = 0.0  # the paper's 0.2 is for networks of its size
    reads: Literal["text", "words"] = "text"  # what the encoder hands to the network at once
    max_chars: int = 128  # characters of a text that are read
    min_char_count: int = 5  # characters of fewer terms become the unknown one
    learning_rate: float = 3e-3
    schedule: Literal["constant", "linear"] = "linear"  # linear: falls to zero over all epochs
    weight_decay: float = 1e-8
    clip: float = 1.0  # longer gradients are cut to this length
    batch_size: int = 256
    epochs: int = 60
    patience: int = 10  # epochs without a better validation cosine after which it stops; 0: never
    validation: float = 0.2  # share of the terms that are kept out of training
    typing_errors: float = 0.25  # share of the terms of a step that are misspelt
    unknown: float = 0.005  # share of the characters of a step that are made unknown
    norm_weight: float = 0.1  # of the error of the logarithm of a vector's length; 0: not learnt
    rank_power: float = 0.0  # a term is drawn by its rank to minus this power; 0: once an epoch
    seed: int = 0

    def check(self) -> None:
        """Raise PocketIntentError for a setting that cannot be trained with."""
        check_values(self)
        check_positive(self, *_POSITIVE)
        for name in _NOT_NEGATIVE:
            if getattr(self, name) < 0:
                raise PocketIntentError(f"{name} cannot be negative, not {getattr(self, name)}")
        for name in ("dropout", "validation", "unknown"):
            if getattr(self, name) >= 1:
                raise PocketIntentError(f"{name} must be below 1, not {getattr(self, name)}")
        if self.typing_errors > 1:
            raise PocketIntentError(f"typing_errors must be at most 1, not {self.typing_errors}")
        if not self.seed < 2**63:
            raise PocketIntentError(f"seed must be below 2**63, not {self.seed}")


_POSITIVE = [
    *("char_dim", "hidden", "layers", "mlp", "heads", "max_chars", "min_char_count"),
    *("learning_rate", "clip", "batch_size", "epochs"),
]
_NOT_NEGATIVE = [
    *("dropout", "validation", "unknown", "typing_errors", "weight_decay", "patience"),
    *("norm_weight", "rank_power", "seed"),
]

_PAPER = CharEmbSettings(
    hidden=512,
    mlp=640,
    dropout=0.2,
    learning_rate=1e-3,
    schedule="constant",
    epochs=200,
)

PRESETS: dict[str, CharEmbSettings] = {
    "tiny": CharEmbSettings(),
    "small": _PAPER,
    "base": replace(_PAPER, layers=2),
    "large": replace(_PAPER, layers=2, hidden=768, mlp=1024, learning_rate=5e-4),
}
"""Table 5 of the paper, and ``tiny``, which two CPU cores train in half an hour.

As int8 with 256 dimensions ``tiny`` takes at most 0.6 MB and ``small`` at most 3.5 MB.
"""


def preset_settings(preset: str, changes: dict[str, Any]) -> CharEmbSettings:
    """The settings of a preset with some of them changed.

    Args:
        preset: One of :data:`PRESETS`.
        changes: Values by the name of the setting; None leaves the preset's.

    Raises:
        PocketIntentError: There is no such preset.
    """
    if preset not in PRESETS:
        raise PocketIntentError(f"preset must be one of {', '.join(PRESETS)}, not {preset!r}")
    names = {field.name for field in fields(CharEmbSettings)}
    given = {k: v for k, v in changes.items() if v is not None and k in names}
    return replace(PRESETS[preset], **given)
