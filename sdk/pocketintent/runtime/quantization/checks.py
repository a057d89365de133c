"""Checks of numbers before they are quantised: finite, and within half precision."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.errors import PocketIntentError


def check_finite(vectors: npt.NDArray[Any], what: str = "vectors") -> None:
    """Reject NaN and infinity.

    Args:
        vectors: ``[n, dim]``.
        what: Name of the vectors in the message.

    Raises:
        PocketIntentError: A number is NaN or infinite; the message has the first such row.
    """
    if not np.isfinite(vectors).all():
        row = int(np.flatnonzero(~np.isfinite(vectors).all(axis=1))[0])
        raise PocketIntentError(f"{what}: row {row} holds NaN or infinity; remove or repair it")


def check_matrix(vectors: npt.NDArray[Any]) -> None:
    """Reject anything but a matrix of finite vectors.

    Raises:
        PocketIntentError: The shape is not ``[n, dim]`` with dim at least 1, or a number is NaN
            or infinite.
    """
    if vectors.ndim != 2 or vectors.shape[1] == 0:
        raise PocketIntentError(f"vectors must be [n, dim], not {list(vectors.shape)}")
    check_finite(vectors)


def half_precision(values: FloatArray, what: str, first_row: int = 0) -> npt.NDArray[np.float16]:
    """Round numbers to half precision.

    Args:
        values: float32, any shape; the first axis counts rows.
        what: Name of the values in the message.
        first_row: Number of the first row, for a block of a larger matrix.

    Returns:
        float16 of the same shape.

    Raises:
        PocketIntentError: A number is beyond the range of half precision.
    """
    with np.errstate(over="ignore"):
        halves = values.astype(np.float16)
    if not np.isfinite(halves).all():
        row = first_row + int(np.argwhere(~np.isfinite(halves))[0][0])
        raise PocketIntentError(f"{what}: row {row} is too large for half precision; scale it down")
    return halves
