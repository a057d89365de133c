"""The arithmetic of a contextual network: from the vectors of tokens to sums of texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pocketintent.runtime.arrays import FloatArray, IndexArray, unit_rows
from pocketintent.runtime.encoders.contextual.network import ContextBlock, ContextNetwork, decode

EPSILON = 1e-6
"""Added to the mean square of a vector, whose root divides the vector."""


class _Layer(NamedTuple):
    """The decoded weights of a block, transposed for the products."""

    inner: FloatArray
    """[width, dim, hidden]: the part of each neighbour, the leftmost first."""
    inner_bias: FloatArray
    outer: FloatArray
    """[hidden, dim]."""
    outer_bias: FloatArray


class ContextReader:
    """A network that is ready to read; its weights are decoded once, here.

    Args:
        network: The stored network.
    """

    def __init__(self, network: ContextNetwork) -> None:
        self.dim = network.dim
        self._layers = [_layer(block) for block in network.blocks]
        self._word_share = np.float32(network.word_share)
        # The products of the first block with a word, side by side.
        self._first = np.concatenate(list(self._layers[0].inner), axis=1)
        self._reach = network.reach
        self._means = np.full(self.dim, 1 / self.dim, np.float32)
        # 2 * sigmoid(z) is 1 + tanh(z / 2), which cannot overflow.
        self._gate = np.asarray(network.gate, np.float32) / np.float32(2)
        self._gate_bias = np.float32(network.gate_bias) / np.float32(2)

    def read_word(self, vector: FloatArray) -> FloatArray:
        """What a word contributes to any text, so that it needs to be computed once.

        Args:
            vector: float32 [dim]: the vector of the word.

        Returns:
            float32 [dim + width * hidden]: the vector, and the products of the first block with
            it, first as the leftmost neighbour of another word.
        """
        scale = np.sqrt(vector.dot(vector) / np.float32(self.dim) + np.float32(EPSILON))
        parts = (vector / scale).dot(self._first)
        return np.concatenate([vector, parts])

    def read_text(self, words: FloatArray) -> FloatArray:
        """The vector of a text: its tokens, each changed by its neighbours and by themselves.

        Args:
            words: float32 [num_tokens, dim + width * hidden]: what :meth:`read_word` returned for
                each token, at least one.

        Returns:
            float32 [dim], not normalised.
        """
        rows = self._apply_first(words)
        total: FloatArray = self._read(rows, None, self._layers[1:]) @ rows
        if not self._word_share:
            return total
        total = self._add_words(total[None], words[:, : self.dim].sum(axis=0)[None])[0]
        return total

    def read_vectors(self, vectors: FloatArray) -> FloatArray:
        """The vector of a text from the vectors of its tokens; see :meth:`read_text`.

        Args:
            vectors: float32 [num_tokens, dim], at least one token.
        """
        return self.read_text(np.stack([self.read_word(vector) for vector in vectors]))

    def read_texts(self, words: FloatArray, counts: IndexArray) -> FloatArray:
        """The vectors of several texts, up to the rounding of products of other sizes.

        Args:
            words: float32 [counts.sum(), dim + width * hidden]: what :meth:`read_word` returned for
                each token, text after text.
            counts: intp [num_texts]: number of tokens of each text, at least 1.

        Returns:
            float32 [num_texts, dim], not normalised; see :meth:`read_text`.
        """
        # Rows of zeros between the texts, so that no token reads a token of another text.
        texts = np.arange(len(counts))
        starts = np.cumsum(counts) - counts + texts * self._reach
        places = np.arange(len(words)) + np.repeat(texts * self._reach, counts)
        padded = np.zeros((int(starts[-1] + counts[-1]), words.shape[1]), np.float32)
        padded[places] = words
        is_gap = np.ones(len(padded), np.bool_)
        is_gap[places] = False
        rows = self._apply_first(padded)
        weights = self._read(rows, np.flatnonzero(is_gap), self._layers[1:])
        rows *= weights[:, None]
        sums: FloatArray = np.add.reduceat(rows, starts, axis=0)
        if not self._word_share:
            return sums
        return self._add_words(sums, np.add.reduceat(padded[:, : self.dim], starts, axis=0))

    def _apply_first(self, words: FloatArray) -> FloatArray:
        """The vectors of tokens after the first block, float32 [num_rows, dim].

        Args:
            words: float32 [num_rows, dim + width * hidden]: what :meth:`read_word` returned for
                each token; rows of zeros add nothing to their neighbours.
        """
        layer = self._layers[0]
        size = layer.inner_bias.size
        parts = words[:, self.dim :]
        middle = len(layer.inner) // 2
        hidden = parts[:, middle * size : (middle + 1) * size] + layer.inner_bias
        for number in range(len(layer.inner)):
            part = parts[:, number * size : (number + 1) * size]
            if 0 < (offset := number - middle) < len(words):
                hidden[:-offset] += part[offset:]
            elif 0 < -offset < len(words):
                hidden[-offset:] += part[:offset]
        np.maximum(hidden, 0, out=hidden)
        rows: FloatArray = hidden.dot(layer.outer)
        rows += words[:, : self.dim]
        rows += layer.outer_bias
        return rows

    def _add_words(self, sums: FloatArray, words: FloatArray) -> FloatArray:
        """Add sums of words by themselves to sums of changed words, both [num_texts, dim]."""
        added: FloatArray = unit_rows(sums) + self._word_share * unit_rows(words)
        return added

    def _read(
        self, rows: FloatArray, gaps: IndexArray | None, layers: Sequence[_Layer]
    ) -> FloatArray:
        """Apply blocks to rows, in place.

        Args:
            rows: float32 [num_rows, dim].
            gaps: Numbers of the rows that are no tokens; None if all are tokens.
            layers: The blocks.

        Returns:
            float32 [num_rows]: how much each row counts; 0 for gaps.
        """
        num_rows, reach = len(rows), self._reach
        padded = np.zeros((num_rows + 2 * reach, self.dim), np.float32)
        normed = padded[reach : reach + num_rows]
        for layer in layers:
            self._normalise(rows, normed)
            if gaps is not None:
                normed[gaps] = 0
            # A product for each neighbour: BLAS is slower with one product of copied neighbours.
            first = reach - len(layer.inner) // 2
            hidden = padded[first : first + num_rows].dot(layer.inner[0])
            for number in range(1, len(layer.inner)):
                start = first + number
                hidden += padded[start : start + num_rows].dot(layer.inner[number])
            hidden += layer.inner_bias
            np.maximum(hidden, 0, out=hidden)
            rows += hidden.dot(layer.outer)
            rows += layer.outer_bias
        self._normalise(rows, normed)
        weights: FloatArray = normed.dot(self._gate)
        weights += self._gate_bias
        np.tanh(weights, out=weights)
        weights += 1
        if gaps is not None:
            weights[gaps] = 0
        return weights

    def _normalise(self, rows: FloatArray, out: FloatArray) -> None:
        """Divide rows [n, dim] by the root of their mean square, into ``out``."""
        np.multiply(rows, rows, out=out)
        scales = out.dot(self._means)
        scales += EPSILON
        np.sqrt(scales, out=scales)
        np.divide(rows, scales[:, None], out=out)


def _layer(block: ContextBlock) -> _Layer:
    inner = decode(block.inner).reshape(block.hidden, block.width, block.dim)
    return _Layer(
        np.ascontiguousarray(inner.transpose(1, 2, 0)),
        np.asarray(block.inner_bias, np.float32),
        np.ascontiguousarray(decode(block.outer).T),
        np.asarray(block.outer_bias, np.float32),
    )
