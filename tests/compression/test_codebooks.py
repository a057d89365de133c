from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from models.fitted_quantizers import fit, make_vectors
from pocketintent.compression.codebooks import (
    encode_int8,
    encode_matrix,
    fit_quantizer,
    quantise_weights,
)
from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.weights import Weights
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.quantization.matrices import QuantizedMatrix
from pocketintent.runtime.quantization.quantizer import Quantizer

VARIANTS = [
    {"per_position": False, "normalised": False},
    {"per_position": True, "normalised": False},
    {"per_position": True, "normalised": True},
]

MATRICES = arrays(
    np.float32,
    array_shapes(min_dims=2, max_dims=2, max_side=9),
    elements=st.floats(-100, 100, width=32),
)


def distortion(quantizer: Quantizer, vectors: np.ndarray) -> float:
    decoded = encode_matrix(vectors, quantizer).decode()
    return float(np.square(vectors - decoded).sum(axis=1, dtype=np.float64).mean())


@settings(max_examples=25)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 80),
    sub_dim=st.sampled_from([1, 2, 3, 4, 6, 12]),
    codebook_size=st.integers(1, 40),
    variant=st.sampled_from(VARIANTS),
)
def test_each_code_is_the_nearest_centroid(
    seed: int, n: int, sub_dim: int, codebook_size: int, variant: dict[str, bool]
) -> None:
    vectors = make_vectors(n, seed=seed)
    quantizer = fit_quantizer(vectors, sub_dim=sub_dim, codebook_size=codebook_size, **variant)
    codes = encode_matrix(vectors, quantizer).codes
    if quantizer.normalised:
        vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    for position in range(quantizer.num_sub):
        book = quantizer.codebook[position if quantizer.per_position else 0]
        part = vectors[:, position * sub_dim : (position + 1) * sub_dim]
        distances = np.square(part[:, None] - book[None]).sum(axis=2)
        chosen = distances[np.arange(n), codes[:, position]]
        np.testing.assert_allclose(chosen, distances.min(axis=1), atol=1e-5)


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.booleans())
def test_decoded_vectors_encode_to_themselves(seed: int, size: int, per_position: bool) -> None:
    vectors = make_vectors(60, seed=seed)
    quantizer = fit(vectors, codebook_size=size, per_position=per_position, normalised=False)
    decoded = encode_matrix(vectors, quantizer).decode()
    np.testing.assert_array_equal(encode_matrix(decoded, quantizer).decode(), decoded)


@pytest.mark.parametrize("variant", VARIANTS)
def test_error_falls_as_the_codebook_doubles(variant: dict[str, bool]) -> None:
    vectors = make_vectors(400)
    errors = [
        distortion(fit(vectors, codebook_size=size, **variant), vectors)
        for size in (1, 2, 4, 8, 16, 32, 64)
    ]
    assert errors == sorted(errors, reverse=True)


def test_a_vocabulary_smaller_than_the_codebook_is_kept_almost_exactly() -> None:
    vectors = make_vectors(5)
    decoded = encode_matrix(vectors, fit(vectors, codebook_size=256)).decode()
    np.testing.assert_allclose(decoded, vectors, rtol=2e-3, atol=2e-3)


def test_a_zero_vector_stays_zero_and_the_others_are_not_disturbed() -> None:
    vectors = make_vectors()
    with_zero = np.concatenate([vectors, np.zeros((40, 12), dtype=np.float32)])
    matrix = encode_matrix(with_zero, fit(with_zero))
    assert not matrix.rows(np.arange(300, 340)).any()
    np.testing.assert_array_equal(fit(vectors).codebook, matrix.quantizer.codebook)


def test_all_zero_vectors_are_quantised_to_zero() -> None:
    zeros = np.zeros((9, 12), dtype=np.float32)
    assert not encode_matrix(zeros, fit(zeros)).decode().any()


def test_the_kept_norm_has_the_least_squared_error() -> None:
    vectors = make_vectors()
    matrix = encode_matrix(vectors, fit(vectors, codebook_size=4))
    assert matrix.norms is not None
    best = np.square(vectors - matrix.decode()).sum()
    for factor in (0.98, 1.02):
        norms = (matrix.norms * np.float16(factor)).astype(np.float16)
        other = QuantizedMatrix(matrix.codes, norms, matrix.quantizer)
        assert np.square(vectors - other.decode()).sum() > best


def test_one_seed_gives_one_codebook_and_another_seed_another() -> None:
    vectors = make_vectors(3000)
    same = [fit(vectors, sample=600, seed=4).codebook for _ in range(2)]
    np.testing.assert_array_equal(*same)
    assert (fit(vectors, sample=600, seed=5).codebook != same[0]).any()


def test_vectors_of_weight_zero_do_not_shape_the_codebook() -> None:
    vectors = make_vectors(400)
    weights = np.r_[np.ones(200), np.zeros(200)]
    heavy, plain = fit(vectors, weights=weights), fit(vectors)
    assert distortion(heavy, vectors[:200]) < distortion(plain, vectors[:200])
    assert distortion(heavy, vectors[200:]) > distortion(plain, vectors[200:])


@pytest.mark.parametrize("weights", [[1.0], [-1.0] * 300, [np.nan] * 300, [0.0] * 300])
def test_weights_that_make_no_shares_are_refused(weights: list[float]) -> None:
    with pytest.raises(PocketIntentError, match="weights must be 300"):
        fit(make_vectors(), weights=weights)


def test_progress_counts_codebooks_and_rows() -> None:
    vectors = make_vectors()
    seen: list[tuple[int, int]] = []
    quantizer = fit(vectors, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
    seen.clear()
    encode_matrix(vectors, quantizer, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(300, 300)]


def test_sizes_that_do_not_divide_are_refused_with_those_that_do() -> None:
    with pytest.raises(PocketIntentError, match=r"sub_dim 5 does not divide dim 12.*3, 4, 6"):
        fit(make_vectors(), sub_dim=5)


@pytest.mark.parametrize("size", [0, 65537])
def test_codebook_sizes_outside_16_bits_are_refused(size: int) -> None:
    with pytest.raises(PocketIntentError, match="codebook_size"):
        fit(make_vectors(), codebook_size=size)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_nan_and_infinity_are_refused_with_their_row(bad: float) -> None:
    vectors = make_vectors()
    quantizer = fit(vectors)
    vectors[17, 2] = bad
    with pytest.raises(PocketIntentError, match="row 17"):
        fit(vectors)
    with pytest.raises(PocketIntentError, match="row 17"):
        encode_matrix(vectors, quantizer)


def test_norms_past_half_precision_are_refused() -> None:
    vectors = make_vectors()
    quantizer = fit(vectors)
    vectors[5] *= 1e6
    with pytest.raises(PocketIntentError, match="row 5 is too large for half precision"):
        encode_matrix(vectors, quantizer)


def test_vectors_of_another_dim_are_refused() -> None:
    with pytest.raises(PocketIntentError, match="dim 9; the quantizer has 12"):
        encode_matrix(make_vectors(dim=9), fit(make_vectors()))


@given(MATRICES)
def test_a_number_comes_back_to_half_a_step(matrix: FloatArray) -> None:
    stored = encode_int8(matrix)
    step = np.abs(matrix).max(axis=1, keepdims=True) / 127
    assert (np.abs(stored.decode() - matrix) <= step * 0.56 + 1e-5).all()
    assert stored.decode().dtype == np.float32


def test_a_row_of_zeros_stays_zeros_and_a_row_has_its_own_factor() -> None:
    matrix = np.array([[0, 0], [1, -1], [1e-3, 5e-4]], np.float32)
    stored = encode_int8(matrix)
    assert stored.codes.tolist() == [[0, 0], [127, -127], [127, 64]]
    np.testing.assert_allclose(stored.decode(), matrix, atol=1e-5, rtol=1e-3)


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e30])
def test_what_does_not_fit_is_refused(value: float) -> None:
    with pytest.raises(PocketIntentError, match=r"NaN|large"):
        encode_int8(np.array([[value]], np.float32))


def make_weights(seed: int = 0) -> Weights:
    rng = np.random.default_rng(seed)
    shapes = {"in.weight": (40, 12), "out.weight": (6, 8), "zeros.weight": (3, 4), "bias": (5,)}
    values = {name: rng.normal(0, 1, shape).astype(np.float32) for name, shape in shapes.items()}
    values["zeros.weight"][:] = 0
    return Weights.of_floats(values)


@pytest.mark.parametrize(("form", "error"), [("float32", 0), ("int8", 0.02), ("codebook", 0.3)])
def test_weights_are_stored_in_a_format_and_vectors_stay(form: Any, error: float) -> None:
    weights = make_weights()
    stored = quantise_weights(weights, form, sub_dim=2, codebook_size=64)
    stored.check({name: array.shape for name, array in weights.decode().items()})
    assert stored.format == form
    assert stored.vectors["bias"] is weights.vectors["bias"]
    for name, matrix in weights.matrices.items():
        found = stored.matrices[name].decode()
        assert found.dtype == np.float32
        assert np.square(found - matrix.decode()).mean() <= error**2
    assert not stored.matrices["zeros.weight"].decode().any()
    assert weights.format == "float32"


def test_a_matrix_of_codes_has_one_codebook_and_a_length_for_each_row() -> None:
    stored = quantise_weights(make_weights(), "codebook", sub_dim=2, codebook_size=16)
    matrix = stored.matrices["in.weight"]
    assert isinstance(matrix, QuantizedMatrix) and matrix.norms is not None
    assert matrix.quantizer.codebook.shape == (1, 16, 2)
    assert (matrix.codes.shape, matrix.norms.shape) == ((40, 6), (40,))


def test_codes_become_the_floats_that_they_stand_for() -> None:
    small = quantise_weights(make_weights(), "codebook", sub_dim=2, codebook_size=16)
    wide = quantise_weights(small, "float32", sub_dim=2, codebook_size=16)
    for name, matrix in small.matrices.items():
        np.testing.assert_array_equal(wide.matrices[name].decode(), matrix.decode())


def test_the_seed_of_weights_draws_the_sample_of_the_codebook() -> None:
    rng = np.random.default_rng(0)
    weights = Weights.of_floats({"m": rng.normal(0, 1, (300, 400)).astype(np.float32)})

    def codebook(seed: int) -> FloatArray:
        stored = quantise_weights(weights, "codebook", sub_dim=2, codebook_size=4, seed=seed)
        assert isinstance(stored.matrices["m"], QuantizedMatrix)
        return stored.matrices["m"].quantizer.codebook

    np.testing.assert_array_equal(codebook(1), codebook(1))
    assert (codebook(1) != codebook(2)).any()


@pytest.mark.parametrize("form", ["int8", "codebook"])
def test_weights_that_cannot_be_stored_are_refused_by_name(form: Any) -> None:
    weights = make_weights()
    weights.matrices["out.weight"].decode()[2, 1] = np.nan
    with pytest.raises(PocketIntentError, match=r"weight out\.weight: vectors: row 2 holds NaN"):
        quantise_weights(weights, form, sub_dim=2, codebook_size=16)


def test_a_sub_dim_must_divide_the_inputs_of_every_weight() -> None:
    message = r"weight out\.weight: sub_dim 3 does not divide dim 8; .* \[1, 2, 4, 8\]"
    with pytest.raises(PocketIntentError, match=message):
        quantise_weights(make_weights(), "codebook", sub_dim=3, codebook_size=16)
