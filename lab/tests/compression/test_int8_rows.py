import numpy as np
import pytest

from pocketintent.compression.codebooks import encode_int8
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.quantization.matrices import QuantizedMatrix
from pocketintent.runtime.quantization.tensors import matrix_from_tensors, matrix_parts
from pocketintent_lab.compression.int8_rows import int8_rows, int8_tables

ROWS = np.random.default_rng(0).normal(0, 2, (40, 7)).astype(np.float32)
ROWS[3] = 0


def test_the_rows_are_those_of_an_int8_matrix() -> None:
    decoded = int8_rows(ROWS).decode()
    np.testing.assert_allclose(decoded, encode_int8(ROWS).decode(), rtol=2e-3, atol=1e-6)
    steps = np.abs(ROWS).max(axis=1, keepdims=True) / 127
    assert (np.abs(decoded - ROWS) <= 0.51 * steps).all()
    assert not decoded[3].any()


def test_they_are_stored_as_codes_of_a_byte() -> None:
    matrix = int8_rows(ROWS)
    settings, tensors = matrix_parts(matrix, "words")
    assert tensors["words.codes"].dtype == np.uint8
    assert tensors["words.codes"].shape == ROWS.shape
    read = matrix_from_tensors(tensors, "words", settings)
    np.testing.assert_array_equal(read.decode(), matrix.decode())


def test_an_empty_matrix_has_no_rows() -> None:
    assert int8_rows(np.empty((0, 5), np.float32)).decode().shape == (0, 5)


def test_a_row_that_half_precision_cannot_scale_is_refused() -> None:
    with pytest.raises(PocketIntentError):
        int8_rows(np.full((1, 4), 1e6, np.float32))


def test_tables_of_codes_stay(tiny_encoder: StaticEncoder) -> None:
    small = int8_tables(tiny_encoder)
    assert isinstance(small.words, QuantizedMatrix)
    text = "turn on the lamp"
    assert small.encode(text) @ tiny_encoder.encode(text) > 0.9999
    assert int8_tables(small) is small
