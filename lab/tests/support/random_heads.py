"""Adapters with random weights, small enough for tests."""

import numpy as np

from pocketintent.compression.codebooks import encode_int8
from pocketintent.runtime.arrays import FloatArray
from pocketintent_lab.encoders.convrr.head import Network, ResidualHead


def random_head(
    dim: int,
    rng: np.random.Generator,
    *,
    network: Network = "convrr",
    width: int = 3,
    kernels: int | None = None,
    scale: float = 0.5,
) -> ResidualHead:
    """A head whose weights are drawn from a normal distribution.

    Args:
        dim: Size of the vectors.
        rng: Draws the weights.
        network: What the kernels read.
        width: Number of words of a window; 1 for ``fcrr``.
        kernels: Number of kernels, which are mapped back to the dimensions; None for one for each
            dimension, without a map.
        scale: The factor of what is added.
    """

    def draw(*shape: int) -> FloatArray:
        return rng.normal(0, 0.5, shape).astype(np.float32)

    width = width if network == "convrr" else 1
    return ResidualHead(
        network=network,
        inner=encode_int8(draw(kernels or dim, width * dim)),
        bias=draw(kernels or dim),
        outer=None if kernels is None else encode_int8(draw(dim, kernels)),
        width=width,
        scale=scale,
    )
