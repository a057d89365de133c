"""Transformers over word pieces with random weights, small enough for tests."""

import numpy as np

from models.lamp_tables import DIM, WORDS
from pocketintent.compression.codebooks import encode_matrix, fit_quantizer
from pocketintent.compression.kinds import quantise_transformer
from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.encoders.transformer.network import TransformerNetwork, network_shapes
from pocketintent.runtime.encoders.weights import Weights
from pocketintent.runtime.quantization.matrices import DenseMatrix, Matrix
from pocketintent.runtime.text.tokenizer import PIECES_SPEC
from pocketintent.runtime.text.vocabulary import Vocabulary
from pocketintent.runtime.text.word_pieces import INSIDE

_LETTERS = "abcdefghijklmnoprstuvwy"
PIECES = [
    *WORDS,
    *("off", "some", "please", "hello", "close", "gate", "jazz", "don", "'t", "lights"),
    *(f"{INSIDE}{end}" for end in ("s", "ing", "er", "ight")),
    *_LETTERS,
    *(f"{INSIDE}{letter}" for letter in _LETTERS if letter != "s"),
]
"""Words, then pieces; the letters q, x and z are in words only."""


def random_transformer(
    dim: int,
    rng: np.random.Generator,
    *,
    layers: int = 2,
    heads: int = 2,
    feedforward: int = 12,
    scale: float = 0.3,
    quantised: bool = False,
) -> TransformerNetwork:
    """A network whose weights are drawn from a normal distribution.

    Args:
        dim: Size of the vectors.
        rng: Draws the weights, in the order of ``network_shapes``.
        layers: Number of layers.
        heads: Attention heads of a layer.
        feedforward: Size of the hidden layer of a feed-forward part.
        scale: Standard deviation; the weights of layer normalisations have the mean 1, others 0.
        quantised: Store matrices as codes instead of float32.
    """
    values: dict[str, FloatArray] = {}
    for name, shape in network_shapes(dim, layers, heads, feedforward).items():
        is_scale = name.endswith(("norm.weight", "norm.0.weight", "norm.1.weight"))
        values[name] = rng.normal(float(is_scale), scale, shape).astype(np.float32)
    network = TransformerNetwork(dim, layers, heads, feedforward, Weights.of_floats(values))
    return quantise_transformer(network) if quantised else network


def piece_table(quantised: bool = False, *, dim: int = DIM) -> StaticEncoder:
    """A table of random vectors of ``PIECES``; that of "um" is zeros.

    Args:
        quantised: Whether its vectors are stored as codes.
        dim: Size of the vectors.
    """
    vectors = np.random.default_rng(0).normal(0, 0.5, (len(PIECES), dim)).astype(np.float32)
    vectors[PIECES.index("um")] = 0
    words: Matrix = DenseMatrix(vectors)
    if quantised:
        words = encode_matrix(vectors, fit_quantizer(vectors, sub_dim=2, codebook_size=16))
    manifest = {"training": 1}
    return StaticEncoder(Vocabulary(PIECES), words, tokenizer_spec=PIECES_SPEC, manifest=manifest)
