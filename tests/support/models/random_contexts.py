"""Contextual networks with random weights, small enough for tests."""

import numpy as np

from pocketintent.compression.kinds import quantise_context
from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.contextual.network import ContextNetwork


def random_context(
    dim: int,
    rng: np.random.Generator,
    *,
    width: int = 5,
    hidden: int = 6,
    scale: float = 0.3,
    int8: bool = False,
    word_share: float = 0.4,
) -> ContextNetwork:
    """A network whose weights are drawn from a normal distribution.

    Args:
        dim: Size of the vectors.
        rng: Draws the weights.
        width: Number of words that are read.
        hidden: Size of the hidden layer.
        scale: Standard deviation.
        int8: Store matrices as int8 instead of float32.
        word_share: The share of the words by themselves.
    """

    def draw(*shape: int) -> FloatArray:
        return rng.normal(0, scale, shape).astype(np.float32)

    network = ContextNetwork(
        inner=draw(hidden, width * dim),
        inner_bias=draw(hidden),
        outer=draw(dim, hidden),
        gate=draw(dim),
        hidden_gate=draw(hidden),
        gate_bias=0.25,
        width=width,
        word_share=word_share,
    )
    return quantise_context(network) if int8 else network
