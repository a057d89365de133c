"""Character encoders with random weights, small enough for tests."""

from typing import Any

import numpy as np

from pocketintent.compression.codebooks import encode_int8
from pocketintent.runtime.encoders.charemb.encoder import CharEncoder
from pocketintent.runtime.encoders.charemb.network import CharNetwork
from pocketintent.runtime.encoders.weights import Weights
from pocketintent.runtime.quantization.matrices import DenseMatrix
from pocketintent.runtime.text.characters import CharVocabulary


def random_network(
    network: CharNetwork,
    vocabulary: CharVocabulary,
    rng: np.random.Generator,
    *,
    scale: float = 0.5,
    int8: bool = False,
    **options: Any,
) -> CharEncoder:
    """An encoder whose weights are drawn from a normal distribution.

    Args:
        network: The network's sizes.
        vocabulary: Its characters.
        rng: Draws the weights, in the order of ``CharNetwork.shapes``.
        scale: Standard deviation.
        int8: Store matrices as int8 instead of float32.
        options: Keyword arguments of :class:`CharEncoder`.
    """
    shapes = network.shapes(len(vocabulary), vocabulary.max_chars)
    values = {
        name: rng.normal(0, scale, shape).astype(np.float32) for name, shape in shapes.items()
    }
    store = encode_int8 if int8 else DenseMatrix
    weights = Weights(
        "int8" if int8 else "float32",
        {name: store(value) for name, value in values.items() if value.ndim == 2},
        {name: value for name, value in values.items() if value.ndim == 1},
    )
    return CharEncoder(vocabulary, network, weights, **options)
