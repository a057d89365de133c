from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.quantization.lbg import fit_lbg, nearest_centroids

FLOATS = st.floats(-100, 100, width=32)


def vector_sets(
    dim: int = 3, min_size: int = 1, max_size: int = 60, elements: st.SearchStrategy = FLOATS
) -> st.SearchStrategy:
    return st.integers(min_size, max_size).flatmap(
        lambda n: arrays(np.float32, (n, dim), elements=elements)
    )


def squared_distances(vectors: np.ndarray, codebook: np.ndarray) -> np.ndarray:
    wide = vectors[:, None].astype(np.float64) - codebook[None].astype(np.float64)
    return np.square(wide).sum(axis=2)


def distortion(vectors: np.ndarray, codebook: np.ndarray) -> float:
    return float(squared_distances(vectors, codebook).min(axis=1).sum())


@given(vector_sets(), vector_sets())
def test_nearest_centroid_is_the_one_brute_force_finds(
    vectors: np.ndarray, codebook: np.ndarray
) -> None:
    distances = squared_distances(vectors, codebook)
    chosen = distances[np.arange(len(vectors)), nearest_centroids(vectors, codebook)]
    # Equally near but for float32 rounding, which grows with the squared lengths.
    slack = 1e-5 * (1 + np.square(vectors).sum(axis=1) + np.square(codebook).sum(axis=1).max())
    assert (chosen <= distances.min(axis=1) + slack).all()


def test_nearest_centroid_does_not_depend_on_a_common_offset() -> None:
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((200, 4), dtype=np.float32)
    codebook = rng.standard_normal((16, 4), dtype=np.float32)
    expected = squared_distances(vectors, codebook).argmin(axis=1)
    shift = np.float32(256.0)
    np.testing.assert_array_equal(nearest_centroids(vectors + shift, codebook + shift), expected)


def test_blocks_join_without_a_seam() -> None:
    rng = np.random.default_rng(1)
    vectors = rng.standard_normal((5000, 2), dtype=np.float32)
    codebook = rng.standard_normal((600, 2), dtype=np.float32)
    expected = squared_distances(vectors, codebook).argmin(axis=1)
    assert (nearest_centroids(vectors, codebook) == expected).mean() > 0.999


@given(vector_sets())
def test_distortion_never_grows_as_the_codebook_doubles(vectors: np.ndarray) -> None:
    found = [distortion(vectors, fit_lbg(vectors, size)) for size in (1, 2, 4, 8, 16)]
    slack = 1e-5 * (1 + float(np.square(vectors).sum()))
    assert all(larger <= smaller + slack for smaller, larger in pairwise(found))


@given(vector_sets(elements=st.sampled_from([-2.0, 0.0, 1.0])), st.integers(27, 40))
def test_every_distinct_vector_gets_its_centroid_when_there_are_enough(
    vectors: np.ndarray, size: int
) -> None:
    codebook = fit_lbg(vectors, size)
    assert codebook.shape == (size, 3)
    assert distortion(vectors, codebook) <= 1e-6 * (1 + float(np.square(vectors).sum()))


@given(vector_sets(), st.integers(1, 20))
def test_centroids_are_finite_and_of_the_asked_number(vectors: np.ndarray, size: int) -> None:
    codebook = fit_lbg(vectors, size)
    assert codebook.shape == (size, 3)
    assert codebook.dtype == np.float32
    assert np.isfinite(codebook).all()


def test_a_codebook_of_one_is_the_mean() -> None:
    vectors = np.random.default_rng(0).standard_normal((50, 3), dtype=np.float32)
    np.testing.assert_allclose(fit_lbg(vectors, 1)[0], vectors.mean(axis=0), atol=1e-6)


def test_a_codebook_finds_separate_clusters() -> None:
    rng = np.random.default_rng(0)
    centres = np.array([[9, 1], [1, 9], [-9, -1], [-1, -9]], dtype=np.float32)
    vectors = np.repeat(centres, 50, axis=0) + rng.normal(0, 0.1, (200, 2)).astype(np.float32)
    assert squared_distances(centres, fit_lbg(vectors, 4)).min(axis=1).max() < 0.01


def test_centroids_are_means_of_their_clusters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pocketintent.runtime.quantization.lbg._TOLERANCE", 0.0)
    monkeypatch.setattr("pocketintent.runtime.quantization.lbg._MAX_ITERATIONS", 500)
    vectors = np.random.default_rng(0).standard_normal((2000, 3), dtype=np.float32)
    codebook = fit_lbg(vectors, 8)
    codes = nearest_centroids(vectors, codebook)
    means = np.stack([vectors[codes == index].mean(axis=0) for index in range(8)])
    np.testing.assert_allclose(codebook, means, atol=1e-5)


def test_a_split_across_the_origin_direction_still_uses_all_centroids() -> None:
    # All vectors lie in the plane through the mean that c(1 + eps) and c(1 - eps) leave undivided.
    vectors = np.array([[1, y] for y in (-3, -1, 1, 3)], dtype=np.float32)
    assert distortion(vectors, fit_lbg(vectors, 4)) < 1e-9


def test_a_size_between_powers_of_two_is_met_exactly() -> None:
    vectors = np.random.default_rng(0).standard_normal((500, 3), dtype=np.float32)
    sizes = (4, 5, 7, 8)
    books = [fit_lbg(vectors, size) for size in sizes]
    assert [len(np.unique(book, axis=0)) for book in books] == list(sizes)
    assert distortion(vectors, books[1]) < distortion(vectors, books[0])


def test_equal_vectors_give_an_equal_codebook() -> None:
    vectors = np.random.default_rng(0).standard_normal((300, 3), dtype=np.float32)
    np.testing.assert_array_equal(fit_lbg(vectors, 32), fit_lbg(vectors.copy(), 32))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_row_with_nan_or_infinity_is_named(bad: float) -> None:
    vectors = np.zeros((5, 3), dtype=np.float32)
    vectors[3, 1] = bad
    with pytest.raises(PocketIntentError, match="row 3 holds NaN or infinity"):
        fit_lbg(vectors, 2)


def test_no_vectors_and_no_centroids_are_refused() -> None:
    with pytest.raises(PocketIntentError, match="no vectors"):
        fit_lbg(np.zeros((0, 3), dtype=np.float32), 2)
    with pytest.raises(PocketIntentError, match="at least 1"):
        fit_lbg(np.zeros((1, 3), dtype=np.float32), 0)
