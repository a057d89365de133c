"""The kernels that read all tokens of a text, with each set of instructions, beside NumPy."""

from __future__ import annotations

from ctypes import c_bool, c_char_p, c_float, c_size_t, c_void_p
from typing import Any

import numpy as np
import pytest

from native_core import Core

Floats = np.ndarray[Any, np.dtype[np.float32]]

INSTRUCTIONS = ("plain", "sse2", "neon", "avx2", "avx512")
TOKENS = (*range(1, 27), 64, 65)
"""Every rest of the groups of tokens, and each way to divide them."""


def place(array: Any) -> c_void_p:
    return c_void_p(None if array is None else array.ctypes.data)


def multiply(
    core: Core, name: str, numbers: Floats, codes: Any, scales: Any, bias: Any, vectors: Floats,
    before: Any, num: int,
) -> Floats:  # fmt: skip
    """Products [tokens, rows] of rows and vectors, added to what was there before."""
    out = np.full((len(vectors), num), np.nan, np.float32) if before is None else before.copy()
    core.lib.hook_multiply.restype = c_char_p
    shape = c_size_t(num), c_size_t(vectors.shape[1]), place(vectors), c_size_t(len(vectors))
    arrays = [place(array) for array in (numbers, codes, scales, bias)]
    adds = c_bool(before is not None)
    assert core.lib.hook_multiply(name.encode(), *arrays, *shape, adds, place(out)) is not None
    return out


def expected_products(rows: Floats, vectors: Floats, scales: Any, bias: Any, before: Any) -> Any:
    """The same in float64."""
    products = vectors.astype(float) @ rows.astype(float).T
    products *= 1 if scales is None else scales.astype(float)
    products += 0 if bias is None else bias
    return products + (0 if before is None else before)


@pytest.mark.parametrize("name", INSTRUCTIONS)
@pytest.mark.parametrize("is_coded", [False, True])
def test_products_are_those_of_numpy(core: Core, name: str, is_coded: bool) -> None:
    rng = np.random.default_rng(0)
    book = rng.normal(size=(256, 2)).astype(np.float32)
    for tokens in TOKENS:
        for num in (*range(1, 12), 48, 49, 52, 101):
            dim = int(rng.integers(1, 20)) * 2 - (0 if is_coded else int(rng.integers(2)))
            codes = rng.integers(256, size=(num, dim // 2)).astype(np.uint8)
            rows = rng.normal(size=(num, dim)).astype(np.float32)
            rows = book[codes].reshape(num, dim) if is_coded else rows
            vectors = rng.normal(size=(tokens, dim)).astype(np.float32)
            bias = rng.normal(size=num).astype(np.float32) if tokens % 2 else None
            scales = rng.normal(size=num).astype(np.float16) if tokens % 3 else None
            before = rng.normal(size=(tokens, num)).astype(np.float32) if num % 2 else None
            numbers, given = (book, codes) if is_coded else (rows, None)
            found = multiply(core, name, numbers, given, scales, bias, vectors, before, num)
            expected = expected_products(rows, vectors, scales, bias, before)
            np.testing.assert_allclose(found, expected, atol=1e-4, err_msg=f"{tokens} {num} {dim}")


@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_norms_are_those_of_numpy(core: Core, name: str) -> None:
    rng = np.random.default_rng(1)
    for tokens in range(1, 18):
        for dim in (1, 2, 3, 4, 5, 7, 8, 31, 32, 33, 384):
            vectors = rng.normal(3, 5, size=(tokens, dim)).astype(np.float32)
            weight, bias = rng.normal(size=(2, dim)).astype(np.float32)
            found = vectors.copy()
            pointers = place(weight), place(bias), c_float(0), c_size_t(dim), place(found)
            core.lib.hook_norm(name.encode(), *pointers, c_size_t(tokens))
            moved = vectors - vectors.astype(float).mean(axis=1, keepdims=True)
            moved /= np.sqrt(np.square(moved).mean(axis=1, keepdims=True) + 1e-5)
            np.testing.assert_allclose(found, moved * weight + bias, atol=2e-5)


@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_softmax_is_that_of_numpy(core: Core, name: str) -> None:
    rng = np.random.default_rng(2)
    for tokens in range(1, 18):
        for count in (1, 2, 3, 4, 5, 16, 17, 256, 257):
            scores = rng.normal(0, 30, size=(tokens, count)).astype(np.float32)
            found = scores.copy()
            pointers = place(None), place(None), c_float(0.25), c_size_t(count), place(found)
            core.lib.hook_norm(name.encode(), *pointers, c_size_t(tokens))
            powers = np.exp(0.25 * (scores - scores.max(axis=1, keepdims=True)).astype(float))
            expected = powers / powers.sum(axis=1, keepdims=True)
            np.testing.assert_allclose(found, expected, atol=1e-6, rtol=1e-5)
