"""Matrices as 8-bit integers, with one factor for each row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pocketintent.runtime.arrays import FloatArray, check_finite, half_precision, read_tensor
from pocketintent.runtime.errors import ModelFileError, PocketIntentError

LARGEST = 127
"""Largest code; -128 is not used, so that a row and its negative differ only in sign."""


@dataclass(frozen=True, eq=False)
class Int8Matrix:
    """Row ``r`` is ``codes[r] * scales[r]``."""

    codes: npt.NDArray[np.int8]
    """``[rows, columns]``; may be a read-only view of a memory map."""
    scales: npt.NDArray[np.float16]
    """``[rows]``."""

    def __post_init__(self) -> None:
        if self.codes.ndim != 2 or self.scales.shape != self.codes.shape[:1]:
            raise PocketIntentError(
                f"codes {list(self.codes.shape)} and scales {list(self.scales.shape)} must be "
                "[rows, columns] and [rows]"
            )

    @classmethod
    def encode(cls, matrix: FloatArray) -> Int8Matrix:
        """Quantise a float32 matrix: the largest number of each row becomes 127 or -127.

        Numbers that are not finite, or too large for half precision, are a PocketIntentError.
        """
        check_finite(matrix)
        largest = np.abs(matrix).max(axis=1, initial=0.0)
        scales = half_precision(np.asarray(largest / LARGEST, np.float32), "scales")
        # A row whose factor rounds to 0 becomes zeros.
        divisors = np.where(scales > 0, scales, np.inf).astype(np.float32)
        codes = np.rint(matrix / divisors[:, None]).clip(-LARGEST, LARGEST).astype(np.int8)
        return cls(codes, scales)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.codes.shape[0], self.codes.shape[1]

    def decode(self) -> FloatArray:
        """The decoded matrix, float32 ``[rows, columns]``."""
        decoded = self.codes.astype(np.float32)
        decoded *= self.scales.astype(np.float32)[:, None]
        return decoded

    def to_tensors(self, prefix: str) -> dict[str, npt.NDArray[Any]]:
        """``<prefix>.codes`` int8 and ``<prefix>.scales`` float16, for a model file."""
        return {f"{prefix}.codes": self.codes, f"{prefix}.scales": self.scales}

    @classmethod
    def from_tensors(cls, tensors: Mapping[str, npt.NDArray[Any]], prefix: str) -> Int8Matrix:
        """The matrix under a prefix of a model file; ModelFileError if it is missing or damaged."""
        codes = read_tensor(tensors, f"{prefix}.codes", ["int8"])
        scales = read_tensor(tensors, f"{prefix}.scales", ["float16"])
        if not np.isfinite(scales).all():
            raise ModelFileError(f"{prefix}.scales: a number is NaN or infinite")
        try:
            return cls(codes, scales)
        except PocketIntentError as error:
            raise ModelFileError(f"{prefix}: {error}") from error
