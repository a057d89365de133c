"""The arithmetic of a contextual network: from the vectors of tokens to sums of texts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pocketintent.runtime.arrays import FloatArray, IndexArray, unit_rows
from pocketintent.runtime.encoders.contextual.network import ContextBlock, ContextNetwork, decode

EPSILON = 1e-6
"""Added to the mean square of a vector, whose root divides the vector."""
_COLUMNS = 4
"""Columns of a product that BLAS computes at once: eight take less time than five. One or two take
less time as they are."""


class _Layer(NamedTuple):
    """The decoded weights of a block."""

    inner: FloatArray
    """[width, hidden, dim]: the part of each neighbour, the leftmost first."""
    inner_bias: FloatArray
    outer: FloatArray
    """[dim, hidden]."""
    outer_bias: FloatArray


class ContextReader:
    """A network that is ready to read; its weights are decoded once, here.

    Args:
        network: The stored network.
    """

    def __init__(self, network: ContextNetwork) -> None:
        self.dim = network.dim
        self._layers = [_layer(block) for block in network.blocks]
        self._word_share = float(network.word_share)
        # The products of the first block with a word, one below the other.
        first = self._layers[0]
        self._first = first.inner.reshape(-1, self.dim)
        self._first_bias = np.zeros_like(self._first[:, 0])
        middle = len(first.inner) // 2 * len(first.inner_bias)
        self._first_bias[middle : middle + len(first.inner_bias)] = first.inner_bias
        self._reach = network.reach
        self._no_word = np.zeros(self.dim + len(self._first), np.float32)
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
            it, first as the leftmost neighbour of another word, and in the middle, where it is
            the word itself, with the bias.
        """
        word = np.empty_like(self._no_word)
        word[: self.dim] = vector
        parts = word[self.dim :]
        self._first.dot(vector / math.sqrt(vector.dot(vector) / self.dim + EPSILON), out=parts)
        parts += self._first_bias
        return word

    def read_text(self, words: Sequence[FloatArray]) -> FloatArray:
        """The vector of a text: its tokens, each changed by its neighbours and by themselves.

        Args:
            words: What :meth:`read_word` returned for each token, at least one.

        Returns:
            float32 [dim], not normalised.
        """
        gap = [self._no_word] * self._reach
        padded = np.concatenate([*gap, *words, *gap]).reshape(-1, len(self._no_word))
        rows = self._apply_first(padded)
        total: FloatArray = self._read(rows, None).dot(rows)
        if not self._word_share:
            return total
        total *= _inverse_length(total)
        plain: FloatArray = np.ones(len(padded), np.float32).dot(padded[:, : self.dim])
        plain *= self._word_share * _inverse_length(plain)
        total += plain
        return total

    def read_vectors(self, vectors: FloatArray) -> FloatArray:
        """The vector of a text from the vectors of its tokens; see :meth:`read_text`.

        Args:
            vectors: float32 [num_tokens, dim], at least one token.
        """
        return self.read_text([self.read_word(vector) for vector in vectors])

    def read_texts(self, words: Sequence[FloatArray], counts: IndexArray) -> FloatArray:
        """The vectors of several texts, up to the rounding of products of other sizes.

        Args:
            words: What :meth:`read_word` returned for each token, text after text.
            counts: intp [num_texts]: number of tokens of each text, at least 1.

        Returns:
            float32 [num_texts, dim], not normalised; see :meth:`read_text`.
        """
        # Rows of zeros between the texts, so that no token reads a token of another text.
        gap = [self._no_word] * self._reach
        ends, spaced = np.cumsum(counts), list[FloatArray](gap)
        for start, end in zip((ends - counts).tolist(), ends.tolist(), strict=True):
            spaced += [*words[start:end], *gap]
        padded = np.concatenate(spaced).reshape(len(spaced), -1)
        starts = ends - counts + np.arange(len(counts)) * len(gap)
        gaps = ((starts + counts)[:-1, None] + np.arange(len(gap))).ravel()
        rows = self._apply_first(padded)
        rows *= self._read(rows, gaps)[:, None]
        sums: FloatArray = np.add.reduceat(rows, starts, axis=0)
        if not self._word_share:
            return sums
        plain = np.add.reduceat(padded[len(gap) :, : self.dim], starts, axis=0)
        added: FloatArray = unit_rows(sums) + np.float32(self._word_share) * unit_rows(plain)
        return added

    def _apply_first(self, padded: FloatArray) -> FloatArray:
        """The vectors of tokens after the first block, float32 [num_tokens, dim].

        Args:
            padded: float32 [num_tokens + 2 * reach, dim + width * hidden]: what :meth:`read_word`
                returned for each token; rows of zeros, such as those at both ends, add nothing to
                their neighbours.
        """
        layer, reach = self._layers[0], self._reach
        width, size, _ = layer.inner.shape
        num_tokens, row = len(padded) - 2 * reach, padded.shape[1]
        # What the neighbours of a token add to its hidden layer lies on a diagonal.
        parts: FloatArray = np.ndarray(
            (num_tokens, width, size),
            np.float32,
            padded,
            4 * ((reach - width // 2) * row + self.dim),
            (4 * row, 4 * (row + size), 4),
        )
        num_rows = num_tokens + (-num_tokens % _COLUMNS if num_tokens > 2 else 0)
        hidden = np.zeros((num_rows, size), np.float32)
        np.einsum("nwh->nh", parts, out=hidden[:num_tokens])
        np.maximum(hidden, 0, out=hidden)
        rows = _product(hidden, layer.outer)[:num_tokens]
        rows += padded[reach : reach + num_tokens, : self.dim]
        rows += layer.outer_bias
        return rows

    def _read(self, rows: FloatArray, gaps: IndexArray | None) -> FloatArray:
        """Apply the other blocks to the vectors of tokens, in place.

        Args:
            rows: float32 [num_rows, dim].
            gaps: Numbers of the rows that are no tokens; None if all are tokens.

        Returns:
            float32 [num_rows]: how much each row counts; 0 for gaps.
        """
        num_rows, reach = len(rows), self._reach
        for layer in self._layers[1:]:
            padded = np.zeros((num_rows + 2 * reach, self.dim), np.float32)
            normed = padded[reach : reach + num_rows]
            np.divide(rows, self._scales(rows)[:, None], out=normed)
            if gaps is not None:
                normed[gaps] = 0
            # A product for each neighbour: BLAS is slower with one product of copied neighbours.
            first = reach - len(layer.inner) // 2
            hidden = _product(padded[first : first + num_rows], layer.inner[0])
            for number in range(1, len(layer.inner)):
                start = first + number
                hidden += _product(padded[start : start + num_rows], layer.inner[number])
            hidden += layer.inner_bias
            np.maximum(hidden, 0, out=hidden)
            rows += _product(hidden, layer.outer)
            rows += layer.outer_bias
        weights: FloatArray = rows.dot(self._gate)
        weights /= self._scales(rows)
        weights += self._gate_bias
        np.tanh(weights, out=weights)
        weights += 1
        if gaps is not None:
            weights[gaps] = 0
        return weights

    def _scales(self, rows: FloatArray) -> FloatArray:
        """The root of the mean square of each row, float32 [num_rows]."""
        scales: FloatArray = (rows * rows).dot(self._means)
        scales += EPSILON
        return np.sqrt(scales, out=scales)


def _product(rows: FloatArray, matrix: FloatArray) -> FloatArray:
    """``rows @ matrix.T``, a new array [num_rows, outputs].

    For the few rows of a text, BLAS takes half the time if the matrix is on the left.

    Args:
        rows: float32 [num_rows, inputs].
        matrix: float32 [outputs, inputs].
    """
    return np.ascontiguousarray(matrix.dot(rows.T).T)


def _inverse_length(vector: FloatArray) -> float:
    """One over the length of a vector [dim]; 1 for zeros."""
    return 1 / (math.sqrt(vector.dot(vector)) or 1)


def _layer(block: ContextBlock) -> _Layer:
    inner = decode(block.inner).reshape(block.hidden, block.width, block.dim)
    return _Layer(
        np.ascontiguousarray(inner.transpose(1, 0, 2)),
        np.asarray(block.inner_bias, np.float32),
        np.ascontiguousarray(decode(block.outer)),
        np.asarray(block.outer_bias, np.float32),
    )
