"""``TransformerEncoder``: tokens that read each other by attention; docs/transformer.md."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from pocketintent.runtime.arrays import FloatArray, IndexArray, check_numbers
from pocketintent.runtime.encoders.sequence import PREFIX, SequenceEncoder, SequenceReader
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.encoders.transformer.network import TransformerNetwork, read_network
from pocketintent.runtime.encoders.transformer_layers import TransformerMean
from pocketintent.runtime.files.model_file import ModelFile


class TransformerEncoder(SequenceEncoder):
    """A table of the vectors of tokens, usually word pieces, and a transformer that reads them.

    The vector of a text is the mean of its tokens' states after the last layer. See
    :class:`SequenceEncoder`.
    """

    kind: ClassVar[str] = "transformer"

    network: TransformerNetwork

    def __init__(self, table: StaticEncoder, network: TransformerNetwork) -> None:
        super().__init__(table, network, TransformerReader(network))

    @classmethod
    def from_model_file(cls, model: ModelFile) -> TransformerEncoder:
        """The encoder of a model file of kind ``transformer``."""
        table = StaticEncoder.from_model_file(model)
        return cls(table, read_network(model.manifest.get(PREFIX), model.tensors, table.dim))


class TransformerReader(SequenceReader):
    """A network that is ready to read; its weights are decoded once, here."""

    def __init__(self, network: TransformerNetwork) -> None:
        parameters = network.weights.decode()
        check_numbers(parameters)
        self.dim = self.word_size = network.dim
        self._mean = TransformerMean(
            parameters, f"{PREFIX}.", network.layers, network.heads, "post-norm gelu"
        )

    def read_word(self, vector: FloatArray) -> FloatArray:
        """The vector itself, float32 [dim]: all else depends on the other tokens."""
        return vector

    def read_text(self, words: Sequence[FloatArray]) -> FloatArray:
        """The mean of the states of 1 to ``MAX_TOKENS`` tokens, float32 [dim]."""
        vector: FloatArray = self.read_texts(words, np.array([len(words)]))[0]
        return vector

    def read_texts(self, words: Sequence[FloatArray], counts: IndexArray) -> FloatArray:
        """The vectors of texts, [num_texts, dim]."""
        return self._mean(np.array(words), counts)
