from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("torch")

import torch

from pocketintent.compression.codebooks import encode_int8
from pocketintent.runtime.quantization.matrices import QuantizedMatrix
from pocketintent.runtime.quantization.tensors import pack_codes
from pocketintent_export.layers.codes import (
    Codes,
    QuantizedRows,
    WholeMatrix,
    pack_rows,
    row_numbers,
    unknown_zero,
)

MakeMatrix = Callable[..., QuantizedMatrix]


@st.composite
def codes_and_bits(draw: st.DrawFn, bits: int) -> np.ndarray:
    shape = draw(st.integers(1, 9)), draw(st.integers(1, 19))
    count = shape[0] * shape[1]
    values = draw(st.lists(st.integers(0, 2**bits - 1), min_size=count, max_size=count))
    return np.array(values, np.uint8 if bits <= 8 else np.uint16).reshape(shape)


@pytest.mark.parametrize("bits", range(1, 17))
@given(data=st.data())
@settings(max_examples=20)
def test_codes_of_every_width_are_read_back(bits: int, data: st.DataObject) -> None:
    codes = data.draw(codes_and_bits(bits))
    rows = data.draw(st.lists(st.integers(0, len(codes) - 1), min_size=1, max_size=12))

    unpacked = Codes(codes, 2**bits)(torch.tensor(rows, dtype=torch.int32))

    assert unpacked.dtype == torch.int32
    np.testing.assert_array_equal(unpacked.numpy(), codes[rows])


@pytest.mark.parametrize("bits", range(1, 17))
@pytest.mark.parametrize("edge", ["lowest", "highest"])
def test_codes_at_the_ends_of_their_range_are_read_back(bits: int, edge: str) -> None:
    code = 0 if edge == "lowest" else 2**bits - 1
    codes = np.full((3, 17), code, np.uint8 if bits <= 8 else np.uint16)

    unpacked = Codes(codes, 2**bits)(torch.arange(3, dtype=torch.int32))

    np.testing.assert_array_equal(unpacked.numpy(), codes)


@pytest.mark.parametrize("bits", range(1, 17))
def test_what_is_stored_is_int8_and_no_larger_than_the_codes(bits: int) -> None:
    stored = Codes(np.zeros((5, 11), np.uint16), 2**bits).stored

    assert stored.dtype == torch.int8
    assert tuple(stored.shape) == (5, -(-11 * bits // 8))


@pytest.mark.parametrize("bits", [1, 3, 7, 8, 12, 16])
def test_each_row_is_packed_as_if_it_were_alone(bits: int) -> None:
    codes = np.random.default_rng(bits).integers(0, 2**bits, (4, 13)).astype(np.uint16)
    codes = codes.astype(np.uint8) if bits <= 8 else codes

    packed = pack_rows(codes, bits)

    for row, expected in zip(packed, codes, strict=True):
        assert row.tobytes() == pack_codes(expected, bits).tobytes()


@pytest.mark.parametrize("per_position", [True, False])
@pytest.mark.parametrize("normalised", [True, False])
@pytest.mark.parametrize("size", [2, 100, 256, 300])
def test_rows_are_those_of_the_matrices_one_after_the_other(
    make_matrix: MakeMatrix, per_position: bool, normalised: bool, size: int
) -> None:
    shape = {"size": size, "per_position": per_position, "normalised": normalised}
    matrices = [make_matrix(num, seed=num, **shape) for num in (7, 1, 5)]
    ids = np.array([0, 12, 7, 6, 8, 0, 11])
    expected = np.concatenate([matrix.decode() for matrix in matrices])[ids]

    rows, norms = QuantizedRows(matrices)(torch.from_numpy(ids.astype(np.int32)))

    assert (norms is not None) == normalised
    vectors = rows if norms is None else rows * norms
    np.testing.assert_allclose(vectors.numpy(), expected, atol=1e-6)


@pytest.mark.parametrize("zero", [None, torch.zeros(1, dtype=torch.int32)], ids=["none", "zero"])
def test_whole_matrices_of_all_kinds_are_decoded_one_after_the_other(
    make_matrix: MakeMatrix, zero: torch.Tensor | None
) -> None:
    rng = np.random.default_rng(0)
    coded = [encode_int8(rng.normal(size=(n, 12)).astype(np.float32)) for n in (3, 2)]
    quantised = [make_matrix(70), make_matrix(5), make_matrix(4, size=100, normalised=False)]
    matrices = [*coded, *quantised]

    decoded = WholeMatrix(matrices)(zero)

    expected = np.concatenate([matrix.decode() for matrix in matrices])
    np.testing.assert_allclose(decoded.numpy(), expected, atol=1e-6)


@pytest.mark.parametrize("count", [1, 64, 65, 200])
def test_row_numbers_count_up(count: int) -> None:
    numbers = row_numbers(count, torch.zeros(1, dtype=torch.int32))

    np.testing.assert_array_equal(numbers, np.arange(count))
    np.testing.assert_array_equal(row_numbers(count, None), np.arange(count))


@pytest.mark.parametrize("source", [torch.tensor([[5, 7]]), torch.tensor([-3.5, 2.0])])
def test_the_unknown_zero_is_zero(source: torch.Tensor) -> None:
    zero = unknown_zero(source)

    assert (zero.dtype, zero.tolist()) == (torch.int32, [0])
