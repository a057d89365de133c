from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent.runtime.errors import ModelFileError, PocketIntentError
from pocketintent.runtime.quantization.tensors import (
    bits_for,
    pack_codes,
    packed_size,
    unpack_codes,
)


@st.composite
def codes_and_bits(draw: st.DrawFn) -> tuple[np.ndarray, int]:
    bits = draw(st.integers(1, 16))
    rows, columns = draw(st.integers(0, 9)), draw(st.integers(1, 9))
    count = rows * columns
    values = draw(st.lists(st.integers(0, 2**bits - 1), min_size=count, max_size=count))
    dtype = np.uint8 if bits <= 8 else np.uint16
    return np.array(values, dtype=dtype).reshape(rows, columns), bits


def pack_plainly(codes: np.ndarray, bits: int) -> bytes:
    """The layout as its definition reads: one long number, first code lowest."""
    number = sum(int(code) << (index * bits) for index, code in enumerate(codes.reshape(-1)))
    return number.to_bytes(packed_size(codes.size, bits), "little")


@given(codes_and_bits())
def test_unpacking_gives_back_the_codes(case: tuple[np.ndarray, int]) -> None:
    codes, bits = case
    unpacked = unpack_codes(pack_codes(codes, bits), bits, codes.shape)
    assert unpacked.dtype == codes.dtype
    np.testing.assert_array_equal(unpacked, codes)


@given(codes_and_bits())
def test_packed_bytes_follow_the_documented_layout(case: tuple[np.ndarray, int]) -> None:
    codes, bits = case
    assert pack_codes(codes, bits).tobytes() == pack_plainly(codes, bits)


def test_seven_bits_take_seven_eighths_of_a_byte() -> None:
    codes = np.zeros((50_000, 30), dtype=np.uint8)
    assert pack_codes(codes, 7).nbytes == 50_000 * 30 * 7 // 8


@pytest.mark.parametrize(
    ("size", "bits"), [(1, 1), (2, 1), (3, 2), (128, 7), (129, 8), (256, 8), (257, 9), (65536, 16)]
)
def test_bits_for_is_the_narrowest_code(size: int, bits: int) -> None:
    assert bits_for(size) == bits


def test_a_code_wider_than_the_bits_is_refused() -> None:
    with pytest.raises(PocketIntentError, match="code 8 does not fit in 3 bits"):
        pack_codes(np.array([[1, 8]], dtype=np.uint8), 3)


@pytest.mark.parametrize("bits", [0, 17])
def test_widths_outside_1_to_16_are_refused(bits: int) -> None:
    with pytest.raises(PocketIntentError, match="1 to 16"):
        pack_codes(np.zeros((1, 1), dtype=np.uint8), bits)
    with pytest.raises(PocketIntentError, match="1 to 16"):
        unpack_codes(np.zeros(1, dtype=np.uint8), bits, (1, 1))


@pytest.mark.parametrize("length", [0, 6, 8])
def test_a_packed_array_of_the_wrong_length_is_refused(length: int) -> None:
    with pytest.raises(ModelFileError, match=r"8 codes of 7 bits take uint8 \[7\]"):
        unpack_codes(np.zeros(length, dtype=np.uint8), 7, (2, 4))
