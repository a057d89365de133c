"""The arithmetic of an InferSent encoder: from the vectors of tokens to pooled states."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pocketintent.runtime.arrays import FloatArray, IndexArray
from pocketintent.runtime.encoders.recurrent import GATES, RecurrentReader
from pocketintent.runtime.encoders.sequence import SequenceReader
from pocketintent_lab.encoders.infersent.network import BiLstm


class MaxPooling(SequenceReader):
    """The largest value of each state of a BiLSTM over the words of a text.

    Args:
        network: The stored network; its weights are decoded once, here.
    """

    def __init__(self, network: BiLstm) -> None:
        sizes = network.sizes
        self._reader = RecurrentReader(sizes, network.weights.decode())
        self._gates = GATES[sizes.cell] * sizes.hidden
        self.dim = sizes.word_dim
        self.word_size = self._gates * len(sizes.directions)
        self._num_states = sizes.hidden * len(sizes.directions)

    def read_word(self, vector: FloatArray) -> FloatArray:
        """A word's share of the gates of both directions, float32 [2 * 4 * hidden].

        Args:
            vector: float32 [word_dim].
        """
        return self._reader.project(vector[None]).reshape(-1)

    def read_text(self, words: Sequence[FloatArray]) -> FloatArray:
        """The vector of a text, float32 [2 * hidden].

        Args:
            words: What :meth:`read_word` returned for each token, at least one.
        """
        table = np.concatenate(words).reshape(-1, self._gates)
        vector: FloatArray = self._largest_states(table, [range(len(words))])[0]
        return vector

    def read_texts(self, words: Sequence[FloatArray], counts: IndexArray) -> FloatArray:
        """The vectors of several texts, up to the rounding of products of other sizes.

        Args:
            words: What :meth:`read_word` returned for each token, text after text.
            counts: intp [num_texts]: number of tokens of each text, at least 1.

        Returns:
            float32 [num_texts, 2 * hidden].
        """
        ends = np.cumsum(counts).tolist()
        texts = [range(end - size, end) for end, size in zip(ends, counts.tolist(), strict=True)]
        return self._largest_states(np.concatenate(words).reshape(-1, self._gates), texts)

    def _largest_states(self, table: FloatArray, texts: Sequence[Sequence[int]]) -> FloatArray:
        """The largest value of each number of the states over all steps of a text.

        Args:
            table: The inputs, see :meth:`RecurrentReader.project`.
            texts: Numbers of the inputs of each text; no text may be empty.

        Returns:
            float32 ``[num_texts, directions * hidden]``.
        """
        _, outputs = self._reader.read(table, texts, keep_all=True)
        assert outputs is not None
        lengths = np.array([len(text) for text in texts])
        states = outputs.reshape(-1, self._num_states)
        return np.maximum.reduceat(states, np.cumsum(lengths) - lengths)
