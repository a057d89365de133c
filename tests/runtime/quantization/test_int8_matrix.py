from typing import Any

import numpy as np
import pytest

from pocketintent.compression.codebooks import encode_int8
from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.quantization.matrices import Int8Matrix


def test_a_matrix_survives_a_file() -> None:
    stored = encode_int8(np.random.default_rng(0).standard_normal((4, 3), np.float32))
    again = Int8Matrix.from_tensors(stored.to_tensors("x"), "x")
    np.testing.assert_array_equal(again.decode(), stored.decode())


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
    tensors = encode_int8(np.ones((2, 2), np.float32)).to_tensors("x") | changes
    with pytest.raises(ModelFileError, match=message):
        Int8Matrix.from_tensors({k: v for k, v in tensors.items() if v is not None}, "x")
