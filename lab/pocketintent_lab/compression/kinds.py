"""What compression does with the laboratory's kinds; the product finds it by entry points."""

from __future__ import annotations

from pocketintent.compression.kinds import (
    Compression,
    TableCompression,
    WordTable,
    compression_of,
)
from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.weights import Weights
from pocketintent.runtime.quantization.matrices import Int8Matrix
from pocketintent_lab.encoders.convrr.encoder import ConvrrEncoder
from pocketintent_lab.encoders.convrr.head import PREFIX
from pocketintent_lab.encoders.infersent.network import BiLstm


class ConvrrCompression(Compression[ConvrrEncoder]):
    """The kind ``convrr``, whose tables belong to the adapter that has learnt from them."""

    def words(self, encoder: ConvrrEncoder) -> WordTable | None:
        """The words of the adapted encoder and their vectors, which the adapter does not move."""
        return compression_of(encoder.inner.kind).words(encoder.inner)

    def size_group(self, tensor: str) -> str:
        """``network`` for the adapter's tensors, and the usual groups for the others."""
        return "network" if tensor.startswith(f"{PREFIX}.") else super().size_group(tensor)


def quantise_lstm(network: BiLstm) -> BiLstm:
    """The network with int8 matrices; the network itself if it has them already."""
    weights = network.weights
    if weights.format != "float32":
        return network
    matrices = {name: Int8Matrix.encode(m.decode()) for name, m in weights.matrices.items()}
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


CONVRR = ConvrrCompression()
INFERSENT = TableCompression(rotate_lstm, quantise_lstm)
