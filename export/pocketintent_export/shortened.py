"""The runtime's encoder, with the limits of graphs of fixed length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.graphs.inputs import GraphInputs

if TYPE_CHECKING:
    from pocketintent_export.kinds.contract import KindExport


class ShortenedEncoder:
    """An encoder that cuts texts off as the exported graphs do.

    Args:
        export: The export of the encoder.
        inputs: The function from a text to the graphs' inputs, with its limits.
    """

    def __init__(self, export: KindExport[Any], inputs: GraphInputs) -> None:
        encoder = export.encoder
        self.dim: int = encoder.dim
        self.template_quantizer = encoder.template_quantizer
        self.background = encoder.background
        self.known_words = encoder.known_words
        if inputs.characters is not None:
            export = export.limit_characters(inputs.characters.max_chars)
        self._export, self._inputs = export, inputs

    def encode(self, text: str) -> FloatArray:
        """The sentence vector, float32 [dim]; computed from the slots if some may be cut off."""
        inputs = self._inputs(text)
        if inputs.slots is None or len(inputs.slots[0]) != self._inputs.max_length:
            vector: FloatArray = self._export.encoder.encode(text)
            return vector
        assert inputs.tokens is not None
        return self._export.encode_slots(inputs.slots, inputs.tokens)

    def encode_batch(self, texts: Sequence[str]) -> FloatArray:
        """The sentence vectors of several texts, float32 [num_texts, dim]."""
        vectors = np.empty((len(texts), self.dim), np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self.encode(text)
        return vectors
