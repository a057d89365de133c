"""Array types, row-wise arithmetic and checks that every part shares."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.errors import ModelFileError, PocketIntentError, shorten

FloatArray = NDArray[np.float32]
"""Vectors and weights."""

IndexArray = NDArray[np.intp]
"""Row numbers, as NumPy indexes with them."""

IntArray = NDArray[np.int64]
"""Ids and counts, as torch takes them."""

Parts = tuple[dict[str, Any], dict[str, NDArray[Any]]]
"""A part of a bot file: an entry of its manifest, and its tensors by name without a prefix."""

MAX_DIM = 1 << 16
"""Largest number of dimensions of the vectors in a model file; a larger one is damage."""

MAX_NUMBERS = 1 << 28
"""Most numbers of a model that are decoded to float32 and kept, 1 GB."""

LARGEST = 65504.0
"""Largest magnitude of a number, the limit of half precision; trained numbers are below 1,000. Sums
of 4,096 rows, and the products in a network, then stay far below the limit of float32."""

_ALIGNMENT = 64  # bytes of a cache line


def check_finite(vectors: NDArray[Any], what: str = "vectors") -> None:
    """Raise PocketIntentError with the first row of [n, dim] that has NaN or infinity."""
    if not np.isfinite(vectors).all():
        row = int(np.flatnonzero(~np.isfinite(vectors).all(axis=1))[0])
        raise PocketIntentError(f"{what}: row {row} holds NaN or infinity; remove or repair it")


def check_numbers(arrays: Mapping[str, NDArray[Any]]) -> None:
    """Raise ModelFileError for a float array with a number NaN, infinite or beyond ``LARGEST``."""
    for name, array in arrays.items():
        if array.dtype.kind == "f" and array.size and not _is_usable(array):
            raise ModelFileError(
                f"tensor {name!r} has a number that is NaN, infinite or beyond {LARGEST:.0f}"
            )


def _is_usable(array: NDArray[Any]) -> bool:
    if array.dtype == np.float16:  # comparing half precision is slow, and its limit is LARGEST
        exponents = array.view(np.uint16) & np.uint16(0x7C00)
        return int(exponents.max()) < 0x7C00
    return bool(array.min() >= -LARGEST and array.max() <= LARGEST)  # both are False for NaN


def half_precision(values: FloatArray, what: str, first_row: int = 0) -> NDArray[np.float16]:
    """Float32 numbers of any shape in half precision; PocketIntentError if one is too large.

    The message names ``what`` and the row, counted from ``first_row`` along the first axis.
    """
    with np.errstate(over="ignore"):
        halves = values.astype(np.float16)
    if not np.isfinite(halves).all():
        row = first_row + int(np.argwhere(~np.isfinite(halves))[0][0])
        raise PocketIntentError(f"{what}: row {row} is too large for half precision; scale it down")
    return halves


def read_tensor(
    tensors: Mapping[str, NDArray[Any]],
    name: str,
    dtypes: Sequence[str],
    shape: tuple[int, ...] | None = None,
    owner: str = "",
) -> NDArray[Any]:
    """A tensor of a model file; ModelFileError if it is missing, or of another type or shape.

    ``dtypes`` are the names of the allowed types, such as ``float32``, and a ``shape`` of None is
    any. The message names the ``owner`` of a tensor whose name does not say it.
    """
    tensor = tensors.get(name)
    right_shape = tensor is not None and shape in (None, tensor.shape)
    if tensor is None or not right_shape or tensor.dtype.name not in dtypes:
        found = "missing" if tensor is None else f"{tensor.dtype} {list(tensor.shape)}"
        wanted = " or ".join(dtypes) + ("" if shape is None else f" {list(shape)}")
        title = f"{name} of {owner}" if owner else name
        raise ModelFileError(f"tensor {title} is {found}; it must be {wanted}")
    return tensor


def read_number(
    settings: Mapping[str, Any], key: str, least: float, place: str, most: float = LARGEST
) -> float:
    """A number of a manifest's entry from ``least`` to ``most``; errors name its ``place``."""
    value = settings.get(key)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not least <= value <= most:  # type: ignore[operator]
        raise ModelFileError(
            f"{key} of {place} is {shorten(value)}; it must be a number from {least:g} to {most:g}"
        )
    return float(value)  # type: ignore[arg-type]


def empty_aligned(*shape: int) -> FloatArray:
    """An array to fill in, float32 [*shape], that begins at a cache line.

    BLAS multiplies a small matrix up to a fifth faster there, with the same rounding; NumPy
    aligns to 16 bytes.
    """
    size = math.prod(shape) * 4
    space = np.empty(size + _ALIGNMENT, np.uint8)
    start = -space.ctypes.data % _ALIGNMENT
    return space[start : start + size].view(np.float32).reshape(shape)


def row_products(first: FloatArray, second: FloatArray) -> FloatArray:
    """Dot product of each row of [n, dim] with the same row of another matrix: float32 [n]."""
    products: FloatArray = np.einsum("nd,nd->n", first, second)
    return products


def row_lengths(vectors: FloatArray) -> FloatArray:
    """Euclidean length of each row of [n, dim]: float32 [n]."""
    lengths: FloatArray = np.sqrt(row_products(vectors, vectors))
    return lengths


def unit_rows(vectors: FloatArray) -> FloatArray:
    """Vectors [n, dim] at unit length; zeros stay zeros."""
    lengths = row_lengths(vectors)[:, None]
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)


def unit_vector(vector: FloatArray) -> FloatArray:
    """Bring a vector [dim] to unit length in place, and return it; zeros stay zeros."""
    length = float(vector.dot(vector)) ** 0.5
    if length > 0.0:
        vector /= length
    return vector


def mean_cosine(a: FloatArray, b: FloatArray) -> float:
    """Mean cosine, in float64, of the rows of two matrices [n, dim] that are zero in neither.

    It is NaN if there are no such rows.
    """
    lengths = np.linalg.norm(a, axis=1).astype(np.float64) * np.linalg.norm(b, axis=1)
    products = np.einsum("nd,nd->n", a, b, dtype=np.float64)
    nonzero = lengths > 0
    return float(np.mean(products[nonzero] / lengths[nonzero])) if nonzero.any() else float("nan")
