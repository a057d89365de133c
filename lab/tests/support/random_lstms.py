"""InferSent networks with random weights, small enough for tests."""

import numpy as np

from pocketintent.runtime.encoders.weights import Weights
from pocketintent_lab.compression.kinds import quantise_lstm
from pocketintent_lab.encoders.infersent.network import BiLstm, BiLstmSizes


def random_lstm(
    word_dim: int,
    rng: np.random.Generator,
    *,
    hidden: int = 6,
    scale: float = 0.5,
    int8: bool = False,
) -> BiLstm:
    """A network whose weights are drawn from a normal distribution.

    Args:
        word_dim: Size of the words' vectors.
        rng: Draws the weights.
        hidden: Size of the state of one direction.
        scale: Standard deviation.
        int8: Store matrices as int8 instead of float32.
    """
    sizes = BiLstmSizes(word_dim, hidden)
    parameters = {
        name: rng.normal(0, scale, shape).astype(np.float32) for name, shape in sizes.shapes.items()
    }
    network = BiLstm(sizes, Weights.of_floats(parameters))
    return quantise_lstm(network) if int8 else network
