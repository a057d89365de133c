from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.errors import ModelFileError, PocketIntentError
from pocketintent.runtime.quantization.matrices import Int8Matrix

MATRICES = arrays(
    np.float32,
    array_shapes(min_dims=2, max_dims=2, max_side=9),
    elements=st.floats(-100, 100, width=32),
)


@given(MATRICES)
def test_a_number_comes_back_to_half_a_step(matrix: FloatArray) -> None:
    stored = Int8Matrix.encode(matrix)
    step = np.abs(matrix).max(axis=1, keepdims=True) / 127
    assert (np.abs(stored.decode() - matrix) <= step * 0.56 + 1e-5).all()
    assert stored.decode().dtype == np.float32


def test_a_row_of_zeros_stays_zeros_and_a_row_has_its_own_factor() -> None:
    matrix = np.array([[0, 0], [1, -1], [1e-3, 5e-4]], np.float32)
    stored = Int8Matrix.encode(matrix)
    assert stored.codes.tolist() == [[0, 0], [127, -127], [127, 64]]
    np.testing.assert_allclose(stored.decode(), matrix, atol=1e-5, rtol=1e-3)


def test_a_matrix_survives_a_file() -> None:
    stored = Int8Matrix.encode(np.random.default_rng(0).standard_normal((4, 3), np.float32))
    again = Int8Matrix.from_tensors(stored.to_tensors("x"), "x")
    np.testing.assert_array_equal(again.decode(), stored.decode())


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e30])
def test_what_does_not_fit_is_refused(value: float) -> None:
    with pytest.raises(PocketIntentError, match=r"NaN|large"):
        Int8Matrix.encode(np.array([[value]], np.float32))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"x.codes": None}, "missing"),
        ({"x.codes": np.zeros((2, 2), np.uint8)}, "uint8"),
        ({"x.scales": np.zeros(3, np.float16)}, "must be"),
        ({"x.scales": np.full(2, np.nan, np.float16)}, "NaN"),
    ],
)
def test_a_damaged_file_is_refused(changes: dict[str, Any], message: str) -> None:
    tensors = Int8Matrix.encode(np.ones((2, 2), np.float32)).to_tensors("x") | changes
    with pytest.raises(ModelFileError, match=message):
        Int8Matrix.from_tensors({k: v for k, v in tensors.items() if v is not None}, "x")
