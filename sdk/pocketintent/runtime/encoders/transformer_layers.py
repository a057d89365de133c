"""The layers of a transformer (Vaswani et al. 2017) in NumPy."""

from __future__ import annotations

from typing import Literal

import numpy as np

from pocketintent.runtime.arrays import FloatArray, IndexArray
from pocketintent.runtime.encoders.weights import Parameters, Shapes
from pocketintent.runtime.threads import one_blas_thread

EPSILON = 1e-5
"""Added to the variance in a layer normalisation."""

Style = Literal["pre-norm relu", "post-norm gelu"]
"""Whether the input or the sum of a sub-layer is normalised (Xiong et al. 2020), and the activation
of the feed-forward layers; the second is BERT's."""

_GELU = (2 / np.pi) ** 0.5
_COLUMNS = 4
"""Divisor of the number of columns of an array of states, which BLAS multiplies in groups."""


def layer_shapes(prefix: str, width: int, layers: int, feedforward: int) -> Shapes:
    """Names and shapes of the parameters of ``layers`` layers; matrices are [outputs, inputs]."""
    shapes: Shapes = {}
    for layer in range(layers):
        for name, shape in {
            "attention.input": (3 * width, width),
            "attention.output": (width, width),
            "feedforward.0": (feedforward, width),
            "feedforward.1": (width, feedforward),
        }.items():
            shapes[f"{prefix}.{layer}.{name}.weight"] = shape
            shapes[f"{prefix}.{layer}.{name}.bias"] = shape[:1]
        for norm in ("norm.0", "norm.1"):
            shapes[f"{prefix}.{layer}.{norm}.weight"] = (width,)
            shapes[f"{prefix}.{layer}.{norm}.bias"] = (width,)
    return shapes


class TransformerMean:
    """A transformer that is ready to read: the mean of the states of a text's tokens.

    ``parameters`` are those of :func:`layer_shapes`, and the others under the prefix: ``norm``,
    which is applied before the layers or, if they normalise their input, after them; ``positions``,
    [num_tokens, width], which are added to the tokens; and, if there is one, ``start``, [width], a
    state before the first token.
    """

    def __init__(
        self, parameters: Parameters, prefix: str, layers: int, heads: int, style: Style
    ) -> None:
        self._layers = [
            _Layer(parameters, f"{prefix}layers.{number}", heads, style) for number in range(layers)
        ]
        self._norm, self._post_norm = Norm(parameters, f"{prefix}norm"), style == "post-norm gelu"
        self._positions = parameters[f"{prefix}positions"]
        start = parameters.get(f"{prefix}start")
        self._start = self._positions[:0] if start is None else start[None]

    def __call__(self, rows: FloatArray, counts: IndexArray) -> FloatArray:
        """The means, float32 [num_texts, width], of texts of ``counts`` tokens each, at least 1.

        ``rows`` are the vectors of the tokens, float32 [counts.sum(), width], text after text.
        Texts of equal length are read together, so that no mask is needed.
        """
        starts = np.cumsum(counts) - counts
        means = np.empty((len(counts), rows.shape[1]), np.float32)
        with one_blas_thread():
            for count in np.unique(counts).tolist():
                texts = np.flatnonzero(counts == count)
                means[texts] = self._read_equal(rows[starts[texts][:, None] + np.arange(count)])
        return means

    def _read_equal(self, tokens: FloatArray) -> FloatArray:
        """The means of texts from their tokens, [num_texts, length, width].

        The states are the columns of an array: BLAS multiplies weights and a few columns up to
        twice as fast as a few rows and weights.
        """
        num_texts, count, width = tokens.shape
        first = len(self._start)
        rows = np.empty((num_texts, first + count, width), np.float32)
        rows[:, :first] = self._start
        np.add(tokens, self._positions[:count], out=rows[:, first:])
        length, used = first + count, num_texts * (first + count)
        columns: FloatArray = np.zeros((width, -(-used // _COLUMNS) * _COLUMNS), np.float32)
        columns[:, :used] = rows.reshape(used, width).T
        if self._post_norm:
            columns = self._norm(columns)
        for layer in self._layers:
            columns = layer(columns, num_texts, length)
        if not self._post_norm:
            columns = self._norm(columns)
        mean: FloatArray = columns[:, :used].reshape(width, num_texts, length).mean(axis=2).T
        return mean


class Norm:
    """A layer normalisation (Ba et al. 2016) with the parameters under a prefix."""

    def __init__(self, parameters: Parameters, prefix: str) -> None:
        self._weight = parameters[f"{prefix}.weight"][:, None]
        self._bias = parameters[f"{prefix}.bias"][:, None]
        self._mean = np.full(len(self._weight), 1 / len(self._weight), np.float32)

    def __call__(self, x: FloatArray) -> FloatArray:
        """Columns [width, n] with the mean 0 and the variance 1, scaled and moved."""
        # Products with a constant vector are quicker than means.
        centred: FloatArray = x - self._mean.dot(x)
        variance = self._mean.dot(np.square(centred))
        variance += np.float32(EPSILON)
        centred /= np.sqrt(variance)
        centred *= self._weight
        centred += self._bias
        return centred


class _Layer:
    """Attention, and two feed-forward layers; each is added to its input."""

    def __init__(self, parameters: Parameters, prefix: str, heads: int, style: Style) -> None:
        self._heads, self._post_norm = heads, style == "post-norm gelu"
        self._norms = [Norm(parameters, f"{prefix}.norm.{number}") for number in (0, 1)]
        self._linear = {
            name: tuple(parameters[f"{prefix}.{name}.{part}"] for part in ("weight", "bias"))
            for name in ("attention.input", "attention.output", "feedforward.0", "feedforward.1")
        }

    def __call__(self, x: FloatArray, num_texts: int, length: int) -> FloatArray:
        """The states of texts of equal length, [width, columns]; columns after them are ignored."""
        attention, feedforward = self._norms
        if self._post_norm:
            x = attention(x + self._attend(x, num_texts, length))
            return feedforward(x + self._feed(x))
        x = x + self._attend(attention(x), num_texts, length)
        return x + self._feed(feedforward(x))

    def _attend(self, x: FloatArray, num_texts: int, length: int) -> FloatArray:
        width, used = len(x), num_texts * length
        parts = self._apply("attention.input", x)[:, :used]
        parts = parts.reshape(3, self._heads, -1, num_texts, length)
        query, key, value = parts.transpose(0, 3, 1, 2, 4)  # each [texts, heads, size, length]
        scores = np.matmul(key.swapaxes(2, 3), query)  # a column for each reader
        scores *= np.float32((width // self._heads) ** -0.5)
        scores -= scores.max(axis=2, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=2, keepdims=True)
        mixed = np.zeros_like(x)
        of_heads = mixed[:, :used].reshape(self._heads, -1, num_texts, length)
        of_heads[:] = np.matmul(value, scores).transpose(1, 2, 0, 3)
        return self._apply("attention.output", mixed)

    def _feed(self, x: FloatArray) -> FloatArray:
        inner = self._apply("feedforward.0", x)
        inner = gelu(inner) if self._post_norm else np.maximum(inner, 0, out=inner)
        return self._apply("feedforward.1", inner)

    def _apply(self, name: str, x: FloatArray) -> FloatArray:
        weight, bias = self._linear[name]
        result: FloatArray = weight @ x
        result += bias[:, None]
        return result


def gelu(x: FloatArray) -> FloatArray:
    """``x`` times the normal distribution function of x, by its approximation with tanh.

    Source: Hendrycks and Gimpel 2016. It is written over ``x``, float32.
    """
    inner: FloatArray = x * x
    inner *= 0.044715 * _GELU
    inner += _GELU
    inner *= x
    np.tanh(inner, out=inner)
    inner += 1
    inner *= 0.5
    x *= inner
    return x
