"""The transformer of a character encoder, in numpy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pocketintent.runtime.arrays import FloatArray, IndexArray
from pocketintent.runtime.encoders.charemb.network import CharNetwork
from pocketintent.runtime.encoders.weights import Parameters

_NORM_EPSILON = 1e-5


class TransformerReader:
    """The mean of a transformer's outputs over the characters of a text (Vaswani et al. 2017).

    Layer normalisation before each sub-layer, ReLU, learnt positions. Texts of equal length are
    read together, so that no mask is needed. See :meth:`CharNetwork.shapes` for the parameters.
    """

    def __init__(self, network: CharNetwork, parameters: Parameters) -> None:
        self._network = network
        self._parameters = parameters

    def read(self, texts: Sequence[Sequence[int]]) -> FloatArray:
        """The means, float32 ``[num_texts, state]``, of character numbers; no text is empty."""
        lengths = np.array([len(text) for text in texts])
        result = np.empty((len(texts), self._network.state), np.float32)
        for length in np.unique(lengths):
            numbers = np.flatnonzero(lengths == length)
            result[numbers] = self._read_equal(np.array([texts[number] for number in numbers]))
        return result

    def _read_equal(self, chars: IndexArray) -> FloatArray:
        """The means of texts of equal length; ``chars`` is ``[num_texts, length]``."""
        parameters = self._parameters
        x = parameters["embedding"][chars] + parameters["positions"][: chars.shape[1]]
        for layer in range(self._network.layers):
            prefix = f"layers.{layer}"
            x = x + self._attend(self._normalise(x, f"{prefix}.norm.0"), f"{prefix}.attention")
            inner = self._linear(self._normalise(x, f"{prefix}.norm.1"), f"{prefix}.feedforward.0")
            np.maximum(inner, 0.0, out=inner)
            x = x + self._linear(inner, f"{prefix}.feedforward.1")
        mean: FloatArray = self._normalise(x, "norm").mean(axis=1)
        return mean

    def _attend(self, x: FloatArray, prefix: str) -> FloatArray:
        num_texts, length, width = x.shape
        heads = self._network.heads
        parts = self._linear(x, f"{prefix}.input").reshape(num_texts, length, 3, heads, -1)
        query, key, value = parts.transpose(2, 0, 3, 1, 4)  # each [texts, heads, length, size]
        scores = np.matmul(query, key.transpose(0, 1, 3, 2))
        scores *= np.float32((width // heads) ** -0.5)
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        mixed = np.matmul(scores, value).transpose(0, 2, 1, 3).reshape(num_texts, length, width)
        return self._linear(mixed, f"{prefix}.output")

    def _linear(self, x: FloatArray, prefix: str) -> FloatArray:
        result: FloatArray = x @ self._parameters[f"{prefix}.weight"].T
        result += self._parameters[f"{prefix}.bias"]
        return result

    def _normalise(self, x: FloatArray, prefix: str) -> FloatArray:
        centred = x - x.mean(axis=-1, keepdims=True)
        variance = np.square(centred).mean(axis=-1, keepdims=True)
        centred /= np.sqrt(variance + np.float32(_NORM_EPSILON))
        result: FloatArray = centred * self._parameters[f"{prefix}.weight"]
        result += self._parameters[f"{prefix}.bias"]
        return result
