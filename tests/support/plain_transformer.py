"""A transformer by the equations of docs/transformer.md, in float64.

One token, one head and one number of a softmax at a time.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


class PlainMean:
    """The mean of the states of a text's tokens after the last layer.

    Args:
        parameters: Arrays by name.
        prefix: First part of all names.
        layers: Number of layers.
        heads: Number of heads.
        post_norm: Whether the sum of a part and its input is normalised, and the tokens before the
            first layer, and the activation is gelu; otherwise the input of a part is normalised,
            and the states after the last layer, and the activation is relu.
    """

    def __init__(
        self,
        parameters: Mapping[str, NDArray[Any]],
        prefix: str,
        layers: int,
        heads: int,
        post_norm: bool,
    ) -> None:
        self._parameters = {n: array.astype(np.float64) for n, array in parameters.items()}
        self._prefix, self._layers = prefix, layers
        self._heads, self._post_norm = heads, post_norm

    def __call__(self, tokens: NDArray[Any]) -> Vector:
        """The mean of one text, [width], from the vectors of its tokens, [num_tokens, width]."""
        places = self._parameters[f"{self._prefix}positions"]
        start = self._parameters.get(f"{self._prefix}start")
        states = [] if start is None else [start]
        states += [token.astype(np.float64) + places[t] for t, token in enumerate(tokens)]
        if self._post_norm:
            states = [self.norm(x, f"{self._prefix}norm") for x in states]
        for layer in range(self._layers):
            states = self.layer(states, layer)
        if not self._post_norm:
            states = [self.norm(x, f"{self._prefix}norm") for x in states]
        mean: Vector = np.mean(states, axis=0)
        return mean

    def norm(self, x: Vector, name: str) -> Vector:
        """A vector with the mean 0 and the variance 1, scaled and moved."""
        variance = np.mean((x - np.mean(x)) ** 2)
        units = (x - np.mean(x)) / np.sqrt(variance + 1e-5)
        return self._parameters[f"{name}.weight"] * units + self._parameters[f"{name}.bias"]

    def linear(self, x: Vector, name: str) -> Vector:
        return self._parameters[f"{name}.weight"] @ x + self._parameters[f"{name}.bias"]

    def layer(self, tokens: Sequence[Vector], number: int) -> list[Vector]:
        """The states of the tokens of one text after a layer."""
        name = f"{self._prefix}layers.{number}"
        before = list(tokens)
        if not self._post_norm:
            tokens = [self.norm(x, f"{name}.norm.0") for x in tokens]
        attended = [self._attend(reader, tokens, name) for reader in tokens]
        states = [x + added for x, added in zip(before, attended, strict=True)]
        if self._post_norm:
            states = [self.norm(x, f"{name}.norm.0") for x in states]
            fed = [self._feed(x, name) for x in states]
            return [self.norm(x + y, f"{name}.norm.1") for x, y in zip(states, fed, strict=True)]
        fed = [self._feed(self.norm(x, f"{name}.norm.1"), name) for x in states]
        return [x + y for x, y in zip(states, fed, strict=True)]

    def _attend(self, reader: Vector, tokens: Sequence[Vector], name: str) -> Vector:
        projected = [np.split(self.linear(x, f"{name}.attention.input"), 3) for x in tokens]
        query = np.split(self.linear(reader, f"{name}.attention.input"), 3)[0]
        size = len(reader) // self._heads
        mixed = []
        for head in range(self._heads):
            part = slice(head * size, (head + 1) * size)
            scores = [query[part] @ key[part] / np.sqrt(size) for _, key, _ in projected]
            weights = np.exp(np.array(scores) - max(scores))
            weights /= weights.sum()
            values = np.array([value[part] for *_, value in projected])
            mixed.append(weights @ values)
        return self.linear(np.concatenate(mixed), f"{name}.attention.output")

    def _feed(self, x: Vector, name: str) -> Vector:
        hidden = self.linear(x, f"{name}.feedforward.0")
        return self.linear(
            gelu(hidden) if self._post_norm else np.maximum(hidden, 0), f"{name}.feedforward.1"
        )


def gelu(x: Vector) -> Vector:
    """The activation of BERT in its form with tanh."""
    result: Vector = x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
    return result
