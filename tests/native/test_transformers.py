"""The C core reads with transformers of every shape and format as Python does."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from models.random_transformers import PIECES, piece_table, random_transformer
from native_core import Core
from pocketintent import IntentRecognizer
from pocketintent.compression.codebooks import quantise_weights
from pocketintent.compression.kinds import quantise_transformer
from pocketintent.runtime.encoders.transformer.encoder import TransformerEncoder
from pocketintent.runtime.encoders.transformer.network import TransformerNetwork
from pocketintent.runtime.files.model_file import save_model

TOLERANCE = 1e-5
INSTRUCTIONS = ("plain", "sse2", "neon", "avx2", "avx512")


def wide_codes(network: TransformerNetwork) -> TransformerNetwork:
    weights = quantise_weights(network.weights, "codebook", sub_dim=3, codebook_size=40)
    return replace(network, weights=weights)


def int8(network: TransformerNetwork) -> TransformerNetwork:
    weights = quantise_weights(network.weights, "int8", sub_dim=2, codebook_size=256)
    return replace(network, weights=weights)


@pytest.mark.parametrize(
    ("dim", "heads", "feedforward", "store"),
    [
        (32, 4, 24, quantise_transformer),
        (30, 6, 14, quantise_transformer),  # heads of an odd size
        (24, 4, 9, int8),
        (15, 3, 7, int8),
        (9, 3, 12, wide_codes),
        (15, 3, 7, None),
        (7, 7, 5, None),
        (5, 1, 1, None),
        (6, 2, 10, None),
    ],
)
def test_transformers_of_every_shape_read_as_in_python(
    core: Core,
    tmp_path: Path,
    dim: int,
    heads: int,
    feedforward: int,
    store: Callable[[TransformerNetwork], TransformerNetwork] | None,
) -> None:
    rng = np.random.default_rng(dim)
    network = random_transformer(dim, rng, heads=heads, feedforward=feedforward)
    encoder = TransformerEncoder(piece_table(dim=dim), store(network) if store else network)
    model, path = tmp_path / "model.safetensors", tmp_path / "bot.safetensors"
    save_model(model, *encoder.to_model_file_parts())
    recognizer = IntentRecognizer.load({"on": ["lamp on"], "off": ["lamp off"]}, model)
    recognizer.save(path)
    words = [piece for piece in PIECES if piece.isalpha()]
    draw = random.Random(0)
    texts = [" ".join(draw.choices(words, k=count)) for count in (*range(1, 28), 60, 255, 300)]
    with core.open(path) as bot:
        for name in INSTRUCTIONS:
            bot.use_kernels(name)
            for text in texts:
                expected = recognizer.encoder.encode(text)
                np.testing.assert_allclose(bot.encode(text), expected, atol=TOLERANCE)
