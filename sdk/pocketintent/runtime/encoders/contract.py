"""The contract that every encoder fulfils."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pocketintent.runtime.arrays import FloatArray


class Encoder(Protocol):
    """What a recogniser needs of a model."""

    dim: int
    """Size of the sentence vectors."""

    def encode(self, text: str) -> FloatArray:
        """The sentence vector, float32 [dim]: unit length, or zeros when nothing is known."""
        ...

    def encode_batch(self, texts: Sequence[str]) -> FloatArray:
        """The vectors of several texts, float32 [num_texts, dim]."""
        ...
