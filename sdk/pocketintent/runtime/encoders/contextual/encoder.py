"""``ContextualEncoder``: word vectors that their neighbours change; docs/contextual.md."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from pocketintent.runtime.arrays import FloatArray, IndexArray, empty_aligned, unit_rows
from pocketintent.runtime.encoders.contextual.network import ContextNetwork, decode, read_network
from pocketintent.runtime.encoders.sequence import (
    MAX_TOKENS,
    PREFIX,
    SequenceEncoder,
    SequenceReader,
)
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.files.model_file import ModelFile

EPSILON = 1e-6
"""Added to the mean square of a vector, whose root divides the vector."""

_ZERO, _ONE = np.zeros((), np.float32), np.ones((), np.float32)  # operands without conversion
_ONES = np.ones(MAX_TOKENS, np.float32)  # its product with a few rows is quicker than their sum


class ContextualEncoder(SequenceEncoder):
    """A table of word vectors that are changed by their neighbours before they are summed.

    The order of the words thus changes the vector of a text, unlike in :class:`StaticEncoder`,
    whose tokenizer, words and n-grams the encoder has. See :class:`SequenceEncoder`.
    """

    kind: ClassVar[str] = "contextual"

    network: ContextNetwork

    def __init__(self, table: StaticEncoder, network: ContextNetwork) -> None:
        super().__init__(table, network, ContextReader(network))

    @classmethod
    def from_model_file(cls, model: ModelFile) -> ContextualEncoder:
        """The encoder of a model file of kind ``contextual``."""
        table = StaticEncoder.from_model_file(model)
        return cls(table, read_network(model.manifest.get(PREFIX), model.tensors, table.dim))


class ContextReader(SequenceReader):
    """A network that is ready to read; its weights are decoded once, here."""

    def __init__(self, network: ContextNetwork) -> None:
        self.dim, self._hidden, self._width = network.dim, network.hidden, network.width
        self._reach = network.width // 2
        self._word_share = float(network.word_share)
        # What a word adds to the hidden layers of the words around it, and to its own gate, one
        # below the other. 2 * sigmoid(z) is 1 + tanh(z / 2), which cannot overflow.
        inner = decode(network.inner).reshape(network.hidden, network.width, network.dim)
        self._parts = empty_aligned(network.width * network.hidden + 1, network.dim)
        self._parts[:-1] = inner.transpose(1, 0, 2).reshape(-1, network.dim)
        np.divide(decode(network.gate), 2, out=self._parts[-1])
        self._parts_bias = np.zeros(len(self._parts), np.float32)
        middle = self._reach * network.hidden
        self._parts_bias[middle : middle + network.hidden] = network.inner_bias
        self._parts_bias[-1] = network.gate_bias / 2
        self._ones = np.ones((1, network.width), np.float32)
        self.word_size = self.dim + len(self._parts)
        self._no_word = np.zeros(self.word_size, np.float32)
        self._gap = [self._no_word] * self._reach
        self._hidden_gate = decode(network.hidden_gate) / np.float32(2)
        self._outer = np.ascontiguousarray(decode(network.outer))

    def read_word(self, vector: FloatArray) -> FloatArray:
        """What a word contributes to any text, float32 [dim + width * hidden + 1].

        It is the vector, float32 [dim]; what it adds to hidden layers, first as the leftmost
        neighbour of another word, and in the middle, where it is the word itself, with the bias;
        and its part of half the argument of its gate.
        """
        word = np.empty_like(self._no_word)
        word[: self.dim] = vector
        parts = word[self.dim :]
        scale = math.sqrt(vector.dot(vector) / self.dim + EPSILON)
        self._parts.dot(vector / scale, out=parts)
        parts += self._parts_bias
        return word

    def read_text(self, words: Sequence[FloatArray]) -> FloatArray:
        """The vector of a text: its tokens, each changed by its neighbours, and by themselves.

        ``words`` are the results of :meth:`read_word`, 1 to ``MAX_TOKENS``; float32 [dim], not
        normalised.
        """
        rows = _stack([*self._gap, *words, *self._gap])
        hidden, gates = self._read(rows)
        vectors = rows[self._reach : self._reach + len(words), : self.dim]
        total: FloatArray = gates.dot(vectors)
        total += self._outer.dot(gates.dot(hidden))
        if not self._word_share:
            return total
        total /= _length(total)
        plain = _ONES[: len(words)].dot(vectors)
        plain *= self._word_share / _length(plain)
        total += plain
        return total

    def read_texts(self, words: Sequence[FloatArray], counts: IndexArray) -> FloatArray:
        """The vectors of texts, [num_texts, dim], up to the rounding of products of other sizes."""
        # Rows of zeros between the texts, so that no token reads a token of another text.
        ends, spaced = np.cumsum(counts), list[FloatArray](self._gap)
        for start, end in zip((ends - counts).tolist(), ends.tolist(), strict=True):
            spaced += [*words[start:end], *self._gap]
        rows = _stack(spaced)
        starts = ends - counts + np.arange(len(counts)) * self._reach
        gaps = ((starts + counts)[:-1, None] + np.arange(self._reach)).ravel()
        hidden, gates = self._read(rows)
        gates[gaps] = 0
        vectors = rows[self._reach : len(rows) - self._reach, : self.dim]
        hidden *= gates[:, None]
        totals: FloatArray = np.add.reduceat(hidden, starts, axis=0) @ self._outer.T
        totals += np.add.reduceat(vectors * gates[:, None], starts, axis=0)
        if not self._word_share:
            return totals
        plain = np.add.reduceat(vectors, starts, axis=0)
        added: FloatArray = unit_rows(totals) + np.float32(self._word_share) * unit_rows(plain)
        return added

    def _read(self, rows: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The hidden layers of tokens, [num_tokens, hidden], and how much the tokens count.

        ``rows`` are what :meth:`read_word` returned for each token, with rows of zeros at both
        ends, which add nothing to their neighbours.
        """
        num_tokens, size = len(rows) - 2 * self._reach, rows.shape[1]
        # What the neighbours of a token add to its hidden layer lies on a diagonal.
        shape = num_tokens, self._width, self._hidden
        steps = 4 * size, 4 * (size + self._hidden), 4
        parts: FloatArray = np.ndarray(shape, np.float32, rows, 4 * self.dim, steps)
        hidden: FloatArray = np.matmul(self._ones, parts)[:, 0]
        np.maximum(hidden, _ZERO, out=hidden)
        gates: FloatArray = hidden.dot(self._hidden_gate)
        gates += rows[self._reach : self._reach + num_tokens, -1]
        np.tanh(gates, gates)
        gates += _ONE
        return hidden, gates


def _stack(rows: list[FloatArray]) -> FloatArray:
    """Contiguous rows below each other, read-only; ``np.stack`` takes twice the time."""
    buffers: list[Any] = rows  # arrays are buffers, which not every version's types say
    return np.frombuffer(b"".join(buffers), np.float32).reshape(len(rows), -1)


def _length(vector: FloatArray) -> float:
    """The length of a vector [dim]; 1 for zeros."""
    return math.sqrt(vector.dot(vector)) or 1.0
