from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.quantization.matrices import QuantizedMatrix
from pocketintent.runtime.quantization.quantizer import Quantizer

VARIANTS = [
    {"per_position": False, "normalised": False},
    {"per_position": True, "normalised": False},
    {"per_position": True, "normalised": True},
]


def make_vectors(n: int = 300, dim: int = 12, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    scale = rng.uniform(0.1, 3.0, (n, 1)).astype(np.float32)
    return rng.standard_normal((n, dim), dtype=np.float32) * scale


def fit(vectors: np.ndarray, **settings: Any) -> Quantizer:
    return Quantizer.fit(vectors, **{"sub_dim": 3, "codebook_size": 16, **settings})


def distortion(quantizer: Quantizer, vectors: np.ndarray) -> float:
    decoded = QuantizedMatrix.encode(vectors, quantizer).decode()
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
    quantizer = Quantizer.fit(vectors, sub_dim=sub_dim, codebook_size=codebook_size, **variant)
    codes = QuantizedMatrix.encode(vectors, quantizer).codes
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
    decoded = QuantizedMatrix.encode(vectors, quantizer).decode()
    np.testing.assert_array_equal(QuantizedMatrix.encode(decoded, quantizer).decode(), decoded)


@pytest.mark.parametrize("variant", VARIANTS)
def test_error_falls_as_the_codebook_doubles(variant: dict[str, bool]) -> None:
    vectors = make_vectors(400)
    errors = [
        distortion(fit(vectors, codebook_size=size, **variant), vectors)
        for size in (1, 2, 4, 8, 16, 32, 64)
    ]
    assert errors == sorted(errors, reverse=True)


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1), st.sampled_from(VARIANTS))
def test_sum_of_table_look_ups_is_the_dot_product_with_the_decoded_vector(
    seed: int, variant: dict[str, bool]
) -> None:
    vectors = make_vectors(50, seed=seed)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    matrix = QuantizedMatrix.encode(vectors, fit(vectors, **variant))
    query = vectors[0]
    table = matrix.quantizer.similarity_table(query)
    assert table.shape == (4, 16)
    assert table.dtype == np.float32
    sums = table[np.arange(4), matrix.codes].sum(axis=1)
    if matrix.norms is not None:
        sums = sums * matrix.norms.astype(np.float32)
    np.testing.assert_allclose(sums, matrix.decode() @ query, atol=1e-5)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("codebook_size", [16, 300])
def test_rows_are_rows_of_the_decoded_matrix(variant: dict[str, bool], codebook_size: int) -> None:
    vectors = make_vectors()
    matrix = QuantizedMatrix.encode(vectors, fit(vectors, codebook_size=codebook_size, **variant))
    ids = np.array([7, 0, 299, 7])
    plain = np.concatenate(
        [
            matrix.quantizer.codebook[position if matrix.quantizer.per_position else 0][codes]
            for position, codes in enumerate(matrix.codes.T)
        ],
        axis=1,
    )
    if matrix.norms is not None:
        plain = plain * matrix.norms.astype(np.float32)[:, None]
    np.testing.assert_array_equal(matrix.decode(), plain)
    np.testing.assert_array_equal(matrix.rows(ids), plain[ids])
    np.testing.assert_allclose(matrix.weighted_sum(ids), plain[ids].sum(axis=0), atol=1e-5)
    assert matrix.rows(ids).dtype == matrix.weighted_sum(ids).dtype == np.float32


def test_codes_are_bytes_up_to_256_centroids() -> None:
    vectors = make_vectors()
    assert QuantizedMatrix.encode(vectors, fit(vectors, codebook_size=256)).codes.dtype == np.uint8
    assert QuantizedMatrix.encode(vectors, fit(vectors, codebook_size=257)).codes.dtype == np.uint16


def test_a_vocabulary_smaller_than_the_codebook_is_kept_almost_exactly() -> None:
    vectors = make_vectors(5)
    decoded = QuantizedMatrix.encode(vectors, fit(vectors, codebook_size=256)).decode()
    np.testing.assert_allclose(decoded, vectors, rtol=2e-3, atol=2e-3)


def test_a_zero_vector_stays_zero_and_the_others_are_not_disturbed() -> None:
    vectors = make_vectors()
    with_zero = np.concatenate([vectors, np.zeros((40, 12), dtype=np.float32)])
    matrix = QuantizedMatrix.encode(with_zero, fit(with_zero))
    assert not matrix.rows(np.arange(300, 340)).any()
    np.testing.assert_array_equal(fit(vectors).codebook, matrix.quantizer.codebook)


def test_all_zero_vectors_are_quantised_to_zero() -> None:
    zeros = np.zeros((9, 12), dtype=np.float32)
    assert not QuantizedMatrix.encode(zeros, fit(zeros)).decode().any()


def test_the_kept_norm_has_the_least_squared_error() -> None:
    vectors = make_vectors()
    matrix = QuantizedMatrix.encode(vectors, fit(vectors, codebook_size=4))
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
    QuantizedMatrix.encode(
        vectors, quantizer, progress=lambda done, total: seen.append((done, total))
    )
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
        QuantizedMatrix.encode(vectors, quantizer)


def test_norms_past_half_precision_are_refused() -> None:
    vectors = make_vectors()
    quantizer = fit(vectors)
    vectors[5] *= 1e6
    with pytest.raises(PocketIntentError, match="row 5 is too large for half precision"):
        QuantizedMatrix.encode(vectors, quantizer)


def test_vectors_of_another_dim_are_refused() -> None:
    with pytest.raises(PocketIntentError, match="dim 9; the quantizer has 12"):
        QuantizedMatrix.encode(make_vectors(dim=9), fit(make_vectors()))
