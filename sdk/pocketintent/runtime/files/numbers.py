"""The numbers that a model file may contain: finite, and of a size that no product overflows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.errors import ModelFileError, shorten

LARGEST = 65504.0
"""Largest magnitude of a number, the limit of half precision; trained numbers are below 1,000. Sums
of 4,096 rows, and the products in a network, then stay far below the limit of float32."""


def check_numbers(arrays: Mapping[str, NDArray[Any]]) -> None:
    """Raise ModelFileError for a float array with a number NaN, infinite or beyond ``LARGEST``."""
    for name, array in arrays.items():
        if array.dtype.kind == "f" and array.size and not _is_usable(array):
            raise ModelFileError(
                f"tensor {name!r} has a number that is NaN, infinite or beyond {LARGEST:.0f}"
            )


def read_number(settings: Mapping[str, Any], key: str, least: float, place: str) -> float:
    """A number of a manifest's entry, from ``least`` to ``LARGEST``; messages name its ``place``.

    Raises ModelFileError if it is missing, not a number or out of range.
    """
    value = settings.get(key)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not least <= value <= LARGEST:  # type: ignore[operator]
        raise ModelFileError(
            f"{key} of {place} is {shorten(value)}; it must be a number from {least:g} to "
            f"{LARGEST:.0f}"
        )
    return float(value)  # type: ignore[arg-type]


def _is_usable(array: NDArray[Any]) -> bool:
    if array.dtype == np.float16:  # comparing half precision is slow, and its limit is LARGEST
        exponents = array.view(np.uint16) & np.uint16(0x7C00)
        return int(exponents.max()) < 0x7C00
    return bool(array.min() >= -LARGEST and array.max() <= LARGEST)  # both are False for NaN
