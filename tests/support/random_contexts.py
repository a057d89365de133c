"""Contextual networks with random weights, small enough for tests."""

from collections.abc import Sequence

import numpy as np

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.contextual.network import ContextBlock, ContextNetwork


def random_context(
    dim: int,
    rng: np.random.Generator,
    *,
    widths: Sequence[int] = (3, 5),
    hidden: int = 6,
    scale: float = 0.3,
    int8: bool = False,
    word_share: float = 0.4,
) -> ContextNetwork:
    """A network whose weights are drawn from a normal distribution.

    Args:
        dim: Size of the vectors.
        rng: Draws the weights.
        widths: The width of each block.
        hidden: Size of the hidden layers.
        scale: Standard deviation.
        int8: Store matrices as int8 instead of float32.
        word_share: The share of the words by themselves.
    """

    def draw(*shape: int) -> FloatArray:
        return rng.normal(0, scale, shape).astype(np.float32)

    blocks = [
        ContextBlock(
            inner=draw(hidden, width * dim),
            inner_bias=draw(hidden),
            outer=draw(dim, hidden),
            outer_bias=draw(dim),
            width=width,
        )
        for width in widths
    ]
    network = ContextNetwork(blocks, gate=draw(dim), gate_bias=0.25, word_share=word_share)
    return network.quantise() if int8 else network
