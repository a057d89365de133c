import math
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plain_transformer import PlainMean
from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.transformer_layers import (
    Norm,
    Style,
    TransformerMean,
    gelu,
    layer_shapes,
)

WIDTH, FEEDFORWARD, LONGEST = 12, 10, 9
STYLES: list[Any] = list(get_args(Style))


def make(
    style: Style, *, layers: int = 2, heads: int = 3, seed: int = 0, start: bool = True
) -> tuple[TransformerMean, PlainMean]:
    """A transformer of random weights, and its equations."""
    rng = np.random.default_rng(seed)
    shapes = layer_shapes("net.layers", WIDTH, layers, FEEDFORWARD)
    shapes |= {f"net.norm.{part}": (WIDTH,) for part in ("weight", "bias")}
    shapes |= {"net.positions": (LONGEST, WIDTH)} | ({"net.start": (WIDTH,)} if start else {})
    weights = {n: rng.normal(0, 0.5, shape).astype(np.float32) for n, shape in shapes.items()}
    return TransformerMean(weights, "net.", layers, heads, style), PlainMean(
        weights, "net.", layers, heads, post_norm=style == "post-norm gelu"
    )


def make_rows(num: int, seed: int = 1) -> FloatArray:
    return np.random.default_rng(seed).normal(0, 1, (num, WIDTH)).astype(np.float32)


@pytest.mark.parametrize("style", STYLES)
@given(
    heads=st.sampled_from([1, 2, 3, 12]),
    layers=st.integers(0, 3),
    counts=st.lists(st.integers(1, LONGEST), min_size=1, max_size=6),
    start=st.booleans(),
    seed=st.integers(0, 999),
)
@settings(max_examples=30)
def test_the_means_are_those_of_the_equations(
    style: Style, heads: int, layers: int, counts: list[int], start: bool, seed: int
) -> None:
    transformer, plain = make(style, layers=layers, heads=heads, seed=seed, start=start)
    rows = make_rows(sum(counts), seed)

    means = transformer(rows, np.array(counts))

    assert means.dtype == np.float32
    assert means.shape == (len(counts), WIDTH)
    for mean, text in zip(means, np.split(rows, np.cumsum(counts)[:-1]), strict=True):
        np.testing.assert_allclose(mean, plain(text), atol=2e-4)


@pytest.mark.parametrize("style", STYLES)
def test_the_input_is_left_as_it_is(style: Style) -> None:
    transformer, _ = make(style)
    rows = make_rows(6)
    transformer(rows, np.array([3, 3]))
    np.testing.assert_array_equal(rows, make_rows(6))


@pytest.mark.parametrize("style", STYLES)
def test_a_text_does_not_read_its_neighbours(style: Style) -> None:
    transformer, _ = make(style)
    rows = make_rows(6)
    other = np.concatenate([rows[:3], make_rows(3, seed=9)])
    counts, together = np.array([3, 3]), np.array([6])
    np.testing.assert_allclose(
        transformer(rows, counts)[0], transformer(other, counts)[0], atol=1e-6
    )
    assert np.abs(transformer(rows, together) - transformer(other, together)).max() > 1e-3


@pytest.mark.parametrize("style", STYLES)
def test_large_scores_do_not_overflow(style: Style) -> None:
    transformer, _ = make(style)
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        means = transformer(np.float32(1e4) * make_rows(6), np.array([6]))
    assert np.isfinite(means).all()


def test_a_normalised_column_has_the_mean_0_and_the_variance_1() -> None:
    ones = {"norm.weight": np.ones(WIDTH, np.float32), "norm.bias": np.zeros(WIDTH, np.float32)}
    found = Norm(ones, "norm")(7 + 100 * make_rows(5).T)
    np.testing.assert_allclose(found.mean(axis=0), 0, atol=1e-5)
    np.testing.assert_allclose(found.var(axis=0), 1, atol=1e-3)


def test_a_column_without_a_usable_variance_becomes_the_bias() -> None:
    bias = make_rows(1)[0]
    norm = Norm({"norm.weight": make_rows(1, seed=2)[0], "norm.bias": bias}, "norm")
    equal, long = np.full((WIDTH, 1), 3, np.float32), np.float32(1e25) * make_rows(1).T
    np.testing.assert_allclose(norm(equal)[:, 0], bias, atol=1e-5)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(norm(long)[:, 0], bias)


def test_gelu_is_near_the_share_of_the_normal_distribution() -> None:
    x = np.linspace(-30, 30, 6001, dtype=np.float32)
    exact = [value * (1 + math.erf(value / math.sqrt(2))) / 2 for value in x.tolist()]
    np.testing.assert_allclose(gelu(x.copy()), exact, atol=1e-3)
