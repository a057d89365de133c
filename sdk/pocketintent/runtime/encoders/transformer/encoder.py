"""``TransformerEncoder``: tokens that read each other by attention; docs/transformer.md."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from pocketintent.runtime.arrays import FloatArray, IndexArray, check_numbers
from pocketintent.runtime.encoders.sequence import PREFIX, SequenceEncoder, SequenceReader
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.encoders.transformer.network import (
    LAYERS,
    TransformerNetwork,
    read_network,
)
from pocketintent.runtime.encoders.transformer_layers import Norm, TransformerLayers
from pocketintent.runtime.files.model_file import ModelFile

_COLUMNS = 4
"""Divisor of the number of columns of an array of states, which BLAS multiplies in groups."""


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
        self._start = parameters[f"{PREFIX}.start"]
        self._positions = parameters[f"{PREFIX}.positions"]
        self._norm = Norm(parameters, f"{PREFIX}.norm")
        self._layers = TransformerLayers(
            parameters, LAYERS, network.layers, network.heads, "post-norm gelu"
        )

    def read_word(self, vector: FloatArray) -> FloatArray:
        """The vector itself, float32 [dim]: all else depends on the other tokens."""
        return vector

    def read_text(self, words: Sequence[FloatArray]) -> FloatArray:
        """The mean of the states of 1 to ``MAX_TOKENS`` tokens, float32 [dim]."""
        vector: FloatArray = self._read_equal(np.array(words)[None])[0]
        return vector

    def read_texts(self, words: Sequence[FloatArray], counts: IndexArray) -> FloatArray:
        """The vectors of texts, [num_texts, dim]; those of equal length are read together."""
        vectors = np.empty((len(counts), self.dim), np.float32)
        rows, starts = np.array(words), np.cumsum(counts) - counts
        for count in np.unique(counts).tolist():
            texts = np.flatnonzero(counts == count)
            vectors[texts] = self._read_equal(rows[starts[texts][:, None] + np.arange(count)])
        return vectors

    def _read_equal(self, tokens: FloatArray) -> FloatArray:
        """The vectors of texts, [num_texts, dim], from their tokens' [num_texts, length, dim]."""
        num_texts, length, dim = tokens.shape
        rows = np.empty((num_texts, length + 1, dim), np.float32)
        rows[:, 0] = self._start
        np.add(tokens, self._positions[:length], out=rows[:, 1:])
        length, used = length + 1, num_texts * (length + 1)
        x = np.zeros((dim, -(-used // _COLUMNS) * _COLUMNS), np.float32)
        x[:, :used] = rows.reshape(used, dim).T
        states = self._layers(self._norm(x), num_texts, length)[:, :used]
        mean: FloatArray = states.reshape(dim, num_texts, length).mean(axis=2).T
        return mean
