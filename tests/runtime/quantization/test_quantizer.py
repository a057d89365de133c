from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.fitted_quantizers import fit, make_vectors
from pocketintent.compression.codebooks import encode_matrix

VARIANTS = [
    {"per_position": False, "normalised": False},
    {"per_position": True, "normalised": False},
    {"per_position": True, "normalised": True},
]


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1), st.sampled_from(VARIANTS))
def test_sum_of_table_look_ups_is_the_dot_product_with_the_decoded_vector(
    seed: int, variant: dict[str, bool]
) -> None:
    vectors = make_vectors(50, seed=seed)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    matrix = encode_matrix(vectors, fit(vectors, **variant))
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
    matrix = encode_matrix(vectors, fit(vectors, codebook_size=codebook_size, **variant))
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
    assert encode_matrix(vectors, fit(vectors, codebook_size=256)).codes.dtype == np.uint8
    assert encode_matrix(vectors, fit(vectors, codebook_size=257)).codes.dtype == np.uint16
