"""The layers of a transformer beside the equations, one token at a time."""

import pytest

pytest.importorskip("torch")

import numpy as np
import torch

from models.random_transformers import random_transformer
from plain_transformer import PlainMean
from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.transformer.network import LAYERS
from pocketintent.runtime.encoders.transformer_layers import Style
from pocketintent_export.layers.transformer import TransformerLayers, mean_inside

DIM, LENGTHS = 12, [1, 4, 7]
GARBAGE = 1e3
styles = pytest.mark.parametrize("style", ["pre-norm relu", "post-norm gelu"])


@pytest.fixture
def states() -> FloatArray:
    """The states of a text of each length, [3, 7, DIM], with garbage beyond its end."""
    states = np.random.default_rng(1).normal(size=(len(LENGTHS), max(LENGTHS), DIM))
    for text, length in zip(states, LENGTHS, strict=True):
        text[length:] = GARBAGE
    return states.astype(np.float32)


def read(states: FloatArray, style: Style, heads: int) -> tuple[FloatArray, FloatArray]:
    """The means of the texts' last states, by the module and by the equations, [3, DIM] each."""
    network = random_transformer(DIM, np.random.default_rng(2), heads=heads, quantised=True)
    layers = TransformerLayers(network.weights, LAYERS, network, style)
    prefix, is_post = LAYERS.removesuffix("layers"), style == "post-norm gelu"
    plain = PlainMean(network.weights.decode(), prefix, network.layers, heads, is_post)
    inside = torch.arange(states.shape[1]) < torch.tensor(LENGTHS).unsqueeze(1)
    found = mean_inside(layers(torch.from_numpy(states), inside, None), inside).numpy()
    expected = []
    for text, length in zip(states, LENGTHS, strict=True):
        tokens = list(text[:length].astype(np.float64))
        for layer in range(network.layers):
            tokens = plain.layer(tokens, layer)
        expected.append(np.mean(tokens, axis=0))
    return found, np.array(expected)


@styles
@pytest.mark.parametrize("heads", [1, 2, 4])
def test_padding_changes_no_text_of_a_batch(states: FloatArray, style: Style, heads: int) -> None:
    found, expected = read(states, style, heads)
    np.testing.assert_allclose(found, expected, atol=2e-6)


def test_the_styles_differ(states: FloatArray) -> None:
    (pre, _), (post, _) = (read(states, style, 2) for style in ("pre-norm relu", "post-norm gelu"))
    assert np.abs(pre - post).max() > 0.1
