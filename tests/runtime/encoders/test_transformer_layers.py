import math
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plain_transformer import PlainLayers
from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.transformer_layers import (
    Norm,
    Style,
    TransformerLayers,
    gelu,
    layer_shapes,
)

WIDTH, FEEDFORWARD = 12, 10
STYLES: list[Any] = list(get_args(Style))


def parameters(num_layers: int, seed: int = 0, scale: float = 0.5) -> dict[str, FloatArray]:
    rng = np.random.default_rng(seed)
    shapes = layer_shapes("layers", WIDTH, num_layers, FEEDFORWARD)
    return {name: rng.normal(0, scale, shape).astype(np.float32) for name, shape in shapes.items()}


def columns(num: int, seed: int = 1) -> FloatArray:
    return np.random.default_rng(seed).normal(0, 1, (WIDTH, num)).astype(np.float32)


@pytest.mark.parametrize("style", STYLES)
@given(
    heads=st.sampled_from([1, 2, 3, 12]),
    num_layers=st.integers(0, 3),
    num_texts=st.integers(1, 3),
    length=st.integers(1, 5),
    seed=st.integers(0, 999),
)
@settings(max_examples=30)
def test_the_states_are_those_of_the_equations(
    style: Style, heads: int, num_layers: int, num_texts: int, length: int, seed: int
) -> None:
    weights, x = parameters(num_layers, seed), columns(num_texts * length, seed)
    states = TransformerLayers(weights, "layers", num_layers, heads, style)(x, num_texts, length)

    assert states.dtype == np.float32
    plain = PlainLayers(weights, "layers", heads, style == "post-norm gelu")
    for text in range(num_texts):
        own = slice(text * length, (text + 1) * length)
        expected = [column.astype(np.float64) for column in x[:, own].T]
        for layer in range(num_layers):
            expected = plain.layer(expected, layer)
        np.testing.assert_allclose(states[:, own].T, expected, atol=2e-4)


@pytest.mark.parametrize("style", STYLES)
def test_columns_after_the_texts_change_nothing(style: Style) -> None:
    layers = TransformerLayers(parameters(2), "layers", 2, 3, style)
    x = columns(8)
    padded = np.concatenate([x[:, :6], np.zeros((WIDTH, 2), np.float32)], axis=1)
    np.testing.assert_allclose(layers(x, 2, 3)[:, :6], layers(padded, 2, 3)[:, :6], atol=1e-5)


@pytest.mark.parametrize("style", STYLES)
def test_the_input_is_left_as_it_is_and_may_lie_in_either_order(style: Style) -> None:
    layers = TransformerLayers(parameters(2), "layers", 2, 3, style)
    x = columns(6)
    turned = np.asfortranarray(x)
    np.testing.assert_allclose(layers(turned, 2, 3), layers(x, 2, 3), atol=1e-5)
    np.testing.assert_array_equal(x, columns(6))
    np.testing.assert_array_equal(turned, columns(6))


@pytest.mark.parametrize("style", STYLES)
def test_a_text_does_not_read_its_neighbours(style: Style) -> None:
    layers = TransformerLayers(parameters(2), "layers", 2, 3, style)
    x = columns(6)
    other = np.concatenate([x[:, :3], columns(3, seed=9)], axis=1)
    np.testing.assert_allclose(layers(x, 2, 3)[:, :3], layers(other, 2, 3)[:, :3], atol=1e-6)
    assert np.abs(layers(x, 1, 6)[:, :3] - layers(other, 1, 6)[:, :3]).max() > 1e-3


@pytest.mark.parametrize("style", STYLES)
def test_large_scores_do_not_overflow(style: Style) -> None:
    weights = parameters(1)
    weights["layers.0.attention.input.weight"] *= np.float32(1e4)
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        states = TransformerLayers(weights, "layers", 1, 2, style)(columns(6), 1, 6)
    assert np.isfinite(states).all()


def test_a_normalised_column_has_the_mean_0_and_the_variance_1() -> None:
    ones = {"norm.weight": np.ones(WIDTH, np.float32), "norm.bias": np.zeros(WIDTH, np.float32)}
    found = Norm(ones, "norm")(7 + 100 * columns(5))
    np.testing.assert_allclose(found.mean(axis=0), 0, atol=1e-5)
    np.testing.assert_allclose(found.var(axis=0), 1, atol=1e-3)


def test_a_column_without_a_usable_variance_becomes_the_bias() -> None:
    bias = columns(1)[:, 0]
    norm = Norm({"norm.weight": columns(1, seed=2)[:, 0], "norm.bias": bias}, "norm")
    equal, long = np.full((WIDTH, 1), 3, np.float32), np.float32(1e25) * columns(1)
    np.testing.assert_allclose(norm(equal)[:, 0], bias, atol=1e-5)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(norm(long)[:, 0], bias)


def test_gelu_is_near_the_share_of_the_normal_distribution() -> None:
    x = np.linspace(-30, 30, 6001, dtype=np.float32)
    exact = [value * (1 + math.erf(value / math.sqrt(2))) / 2 for value in x.tolist()]
    np.testing.assert_allclose(gelu(x.copy()), exact, atol=1e-3)
