from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pocketintent.compression.codebooks import encode_matrix, fit_quantizer
from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.quantization.matrices import DenseMatrix, QuantizedMatrix
from pocketintent.runtime.quantization.quantizer import Quantizer
from pocketintent.runtime.quantization.tensors import matrix_from_tensors, matrix_parts

VARIANTS = [
    {"per_position": False, "normalised": False},
    {"per_position": True, "normalised": False},
    {"per_position": True, "normalised": True},
]


def make_vectors(n: int = 300, dim: int = 12) -> np.ndarray:
    rng = np.random.default_rng(0)
    scale = rng.uniform(0.1, 3.0, (n, 1)).astype(np.float32)
    return rng.standard_normal((n, dim), dtype=np.float32) * scale


def fit(vectors: np.ndarray, **settings: Any) -> Quantizer:
    return fit_quantizer(vectors, **{"sub_dim": 3, "codebook_size": 16, **settings})


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("codebook_size", [2, 5, 128, 200, 256, 300])
def test_tensors_give_back_the_matrix(variant: dict[str, bool], codebook_size: int) -> None:
    vectors = make_vectors()
    matrix = encode_matrix(vectors, fit(vectors, codebook_size=codebook_size, **variant))
    settings_, tensors = matrix_parts(matrix, "words")
    again = matrix_from_tensors(tensors, "words", settings_)
    assert isinstance(again, QuantizedMatrix)
    np.testing.assert_array_equal(again.codes, matrix.codes)
    np.testing.assert_array_equal(again.decode(), matrix.decode())
    assert again.quantizer.normalised == matrix.quantizer.normalised


def test_eight_bit_codes_are_used_in_place() -> None:
    vectors = make_vectors()
    matrix = encode_matrix(vectors, fit(vectors, codebook_size=256))
    settings_, tensors = matrix_parts(matrix, "words")
    again = matrix_from_tensors(tensors, "words", settings_)
    assert isinstance(again, QuantizedMatrix)
    assert again.codes is tensors["words.codes"]


def test_dense_vectors_are_kept_as_they_are() -> None:
    matrix = DenseMatrix(make_vectors())
    settings_, tensors = matrix_parts(matrix, "words")
    assert settings_ == {"num": 300, "dim": 12}
    again = matrix_from_tensors(tensors, "words", settings_)
    assert again.decode() is tensors["words.embedding"]


def packed_case(codebook_size: int = 5) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    vectors = make_vectors()
    matrix = encode_matrix(vectors, fit(vectors, codebook_size=codebook_size))
    settings_, tensors = matrix_parts(matrix, "words")
    return tensors, settings_


@pytest.mark.parametrize("name", ["words.codes", "words.codebook", "words.norms"])
def test_a_missing_or_misshapen_tensor_is_refused_by_name(name: str) -> None:
    tensors, settings_ = packed_case()
    for change in ({}, {name: tensors[name][:-1]}, {name: tensors[name].astype(np.float64)}):
        broken = {key: value for key, value in tensors.items() if key != name} | change
        with pytest.raises(ModelFileError):
            matrix_from_tensors(broken, "words", settings_)


@pytest.mark.parametrize(
    "change",
    [
        {"dim": 13},
        {"dim": "twelve"},
        {"num": 299},
        {"num": -1},
        {"sub_dim": 0},
        {"codebook_size": 6},
        {"codebook_size": 0},
        {"code_bits": 4},
        {"per_position": False},
        {"normalised": None},
        {"sub_dim": None},
    ],
)
def test_settings_that_do_not_agree_with_the_tensors_are_refused(change: dict[str, Any]) -> None:
    tensors, settings_ = packed_case()
    with pytest.raises(ModelFileError, match="words"):
        matrix_from_tensors(tensors, "words", settings_ | change)
    with pytest.raises(ModelFileError, match="words"):
        missing = {key: value for key, value in settings_.items() if key != next(iter(change))}
        matrix_from_tensors({}, "words", missing)


def test_a_code_past_its_codebook_is_refused() -> None:
    tensors, settings_ = packed_case(codebook_size=200)
    tensors["words.codes"] = tensors["words.codes"].copy()
    tensors["words.codes"][3, 1] = 200
    with pytest.raises(ModelFileError, match="code 200 is beyond a codebook of 200"):
        matrix_from_tensors(tensors, "words", settings_)


def test_a_codebook_with_nan_is_refused() -> None:
    tensors, settings_ = packed_case()
    tensors["words.codebook"][0, 0, 0] = np.nan
    with pytest.raises(ModelFileError, match="NaN"):
        matrix_from_tensors(tensors, "words", settings_)
