import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent.compression.codebooks import encode_matrix, fit_quantizer
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.quantization import matrices
from pocketintent.runtime.quantization.matrices import DenseMatrix, Matrix, QuantizedMatrix


def make_vectors(n: int = 300, dim: int = 12) -> np.ndarray:
    rng = np.random.default_rng(0)
    scale = rng.uniform(0.1, 3.0, (n, 1)).astype(np.float32)
    return rng.standard_normal((n, dim), dtype=np.float32) * scale


def make_matrix(normalised: bool = True, vectors: np.ndarray | None = None) -> QuantizedMatrix:
    vectors = make_vectors() if vectors is None else vectors
    quantizer = fit_quantizer(vectors, sub_dim=3, codebook_size=16, normalised=normalised)
    return encode_matrix(vectors, quantizer)


LARGE = make_vectors(300, 96)
MATRICES: list[Matrix] = [
    make_matrix(True, LARGE),
    make_matrix(False, LARGE),
    DenseMatrix(LARGE),
]
KINDS = ["normalised", "plain", "dense"]


@pytest.mark.parametrize("matrix", MATRICES, ids=KINDS)
@given(groups=st.lists(st.lists(st.integers(0, 299), max_size=30), max_size=12))
def test_sums_of_groups_equal_the_sum_of_each_to_the_bit(
    matrix: Matrix, groups: list[list[int]]
) -> None:
    ids = np.array([number for group in groups for number in group], np.intp)
    counts = np.array([len(group) for group in groups], np.intp)

    sums = matrix.weighted_sums(ids, counts)

    assert sums.shape == (len(groups), 96)
    assert sums.dtype == np.float32
    for group, row in zip(groups, sums, strict=True):
        np.testing.assert_array_equal(row, matrix.weighted_sum(np.array(group, np.intp)))


@pytest.mark.parametrize("matrix", MATRICES, ids=KINDS)
def test_groups_that_do_not_fit_into_one_gathering_are_summed_in_parts(
    matrix: Matrix, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = np.arange(210, dtype=np.intp)
    counts = np.full(30, 7, np.intp)
    together = matrix.weighted_sums(ids, counts)
    monkeypatch.setattr(matrices, "_NUMBERS_AT_ONCE", 3 * 7 * 96)

    np.testing.assert_array_equal(matrix.weighted_sums(ids, counts), together)


@pytest.mark.parametrize("matrix", MATRICES, ids=KINDS)
def test_a_sum_of_many_rows_is_made_in_blocks(
    matrix: Matrix, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matrices, "_ROWS_IN_A_SUM", 32)
    ids = np.arange(210, dtype=np.intp)
    counts = np.array([70, 0, 5, 32, 70, 33], np.intp)

    sums = matrix.weighted_sums(ids, counts)

    for count, stop, row in zip(counts, np.cumsum(counts), sums, strict=True):
        group = ids[stop - count : stop]
        np.testing.assert_array_equal(row, matrix.weighted_sum(group))
        np.testing.assert_allclose(row, matrix.rows(group).sum(axis=0), rtol=1e-4, atol=1e-5)


def test_no_rows_give_an_empty_matrix_and_a_zero_sum() -> None:
    vectors = make_vectors()
    none = np.array([], dtype=np.intp)
    for matrix in (DenseMatrix(vectors), make_matrix()):
        assert matrix.rows(none).shape == (0, 12)
        np.testing.assert_array_equal(matrix.weighted_sum(none), np.zeros(12))


def test_dense_rows_are_copies() -> None:
    vectors = make_vectors()
    matrix = DenseMatrix(vectors)
    rows = matrix.rows(np.array([1, 2]))
    rows[:] = 0
    assert matrix.vectors[1].any()
    np.testing.assert_allclose(
        matrix.weighted_sum(np.array([1, 2])), vectors[1] + vectors[2], rtol=1e-6
    )


def test_codes_and_norms_must_fit_the_quantizer() -> None:
    matrix = make_matrix()
    with pytest.raises(PocketIntentError, match="codes have shape"):
        QuantizedMatrix(matrix.codes[:, :2], matrix.norms, matrix.quantizer)
    with pytest.raises(PocketIntentError, match="norms must be"):
        QuantizedMatrix(matrix.codes, None, matrix.quantizer)
