"""Quantisation and rotation of networks."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

from pocketintent.compression.codebooks import encode_int8, encode_matrix, fit_quantizer
from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.charemb.encoder import CharEncoder
from pocketintent.runtime.encoders.contextual.network import ContextNetwork, decode
from pocketintent.runtime.encoders.weights import StoredMatrix, WeightFormat, Weights
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.quantization.matrices import DenseMatrix


def quantise_charemb(
    encoder: CharEncoder,
    weights: WeightFormat = "int8",
    *,
    sub_dim: int = 1,
    codebook_size: int = 16,
    seed: int = 0,
) -> CharEncoder:
    """A copy of a character encoder with weights of fewer bits; its biases stay float32.

    ``weights`` are ``int8``, with a half-precision factor for each row; ``codebook``, a code for
    each ``sub_dim`` numbers, which must divide the inputs of every matrix, and a half-precision
    length for each row, by default 4 bits a number (figures in ``docs/charemb.md``); or
    ``float32``, which decodes quantised weights. ``seed`` is that of the codebooks' sample. The
    entry ``quality``, measured on the old weights, is dropped.

    A setting out of range, and a weight that is not finite, are PocketIntentErrors.
    """
    if weights not in (known := get_args(WeightFormat)):
        raise PocketIntentError(f"weights must be one of {', '.join(known)}, not {weights!r}")

    def store(matrix: FloatArray) -> StoredMatrix:
        if weights == "int8":
            return encode_int8(matrix)
        if weights == "float32":
            return DenseMatrix(matrix)
        # One codebook for all positions: the inputs of a layer are all alike, and a codebook for
        # each would be larger than the codes.
        quantizer = fit_quantizer(
            matrix, sub_dim=sub_dim, codebook_size=codebook_size, per_position=False, seed=seed
        )
        return encode_matrix(matrix, quantizer)

    own = encoder.weights
    stored = {name: store(matrix.decode()) for name, matrix in own.matrices.items()}
    manifest = {key: value for key, value in encoder.manifest.items() if key != "quality"}
    return encoder.replace(weights=Weights(weights, stored, own.vectors), manifest=manifest)


def quantise_context(network: ContextNetwork) -> ContextNetwork:
    """The network of a contextual encoder with int8 matrices; itself if it has them already."""
    if network.format == "int8":
        return network
    inner, outer = (encode_int8(decode(m)) for m in (network.inner, network.outer))
    return replace(network, inner=inner, outer=outer)


def rotate_context(network: ContextNetwork, rotation: FloatArray) -> ContextNetwork:
    """The network, in float32, that reads and returns vectors times an orthogonal [dim, dim]."""
    inner = decode(network.inner).reshape(-1, network.dim) @ rotation
    return replace(
        network,
        inner=inner.reshape(network.hidden, -1),
        outer=rotation.T @ decode(network.outer),
        gate=decode(network.gate) @ rotation,
    )
