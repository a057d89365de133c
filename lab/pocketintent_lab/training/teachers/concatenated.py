"""Several sentence encoders as one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pocketintent.runtime.arrays import FloatArray, unit_rows
from pocketintent.runtime.encoders.contract import Encoder


class ConcatenatedEncoder:
    """Puts the unit vectors of several encoders end to end, at unit length.

    The cosine of two texts is the mean of the encoders' cosines, unless an encoder knows nothing
    in a text.

    Args:
        encoders: The encoders, at least one.
    """

    template_quantizer = None
    background = None
    known_words = None

    def __init__(self, encoders: Sequence[Encoder]) -> None:
        self._encoders = list(encoders)
        self.dim = sum(encoder.dim for encoder in encoders)

    def vocabulary(self) -> list[str]:
        """The distinct tokens of the transformers among the encoders, in order."""
        parts = (getattr(encoder, "vocabulary", None) for encoder in self._encoders)
        return list(dict.fromkeys(token for part in parts if callable(part) for token in part()))

    def encode(self, text: str) -> FloatArray:
        """The vector of a text, float32 [dim]: unit length, or zeros if no encoder has one."""
        vector: FloatArray = self.encode_batch([text])[0]
        return vector

    def encode_batch(self, texts: Sequence[str]) -> FloatArray:
        """The vectors of several texts, float32 [num_texts, dim]."""
        parts = [unit_rows(encoder.encode_batch(texts)) for encoder in self._encoders]
        return unit_rows(np.concatenate(parts, axis=1))
