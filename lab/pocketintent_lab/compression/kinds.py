"""What compression does with the laboratory's kinds; the product finds it by entry points."""

from __future__ import annotations

from operator import attrgetter

from pocketintent.compression.codebooks import encode_int8
from pocketintent.compression.kinds import Compression, table_of
from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.weights import Weights
from pocketintent_lab.encoders.convrr.head import PREFIX
from pocketintent_lab.encoders.infersent.network import BiLstm


def quantise_lstm(network: BiLstm) -> BiLstm:
    """The network with int8 matrices; the network itself if it has them already."""
    weights = network.weights
    if weights.format != "float32":
        return network
    matrices = {name: encode_int8(m.decode()) for name, m in weights.matrices.items()}
    return BiLstm(network.sizes, Weights("int8", matrices, weights.vectors))


def rotate_lstm(network: BiLstm, rotation: FloatArray) -> BiLstm:
    """The network of words that are multiplied by an orthogonal matrix.

    Args:
        network: The network.
        rotation: float32 [word_dim, word_dim].

    Returns:
        A network with float32 matrices, which returns the same states.
    """
    parameters = network.weights.decode()
    for name in parameters:
        if name.endswith(".input"):
            parameters[name] = parameters[name] @ rotation
    return BiLstm(network.sizes, Weights.of_floats(parameters))


CONVRR = Compression(lambda encoder: table_of(encoder.inner), changes=False, network=f"{PREFIX}.")
"""The adapter has learnt from the tables of the encoder that it adapts."""

INFERSENT = Compression(attrgetter("table"), rotate=rotate_lstm, quantise=quantise_lstm)
