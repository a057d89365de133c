"""Tables as rows of 8-bit integers: no codebook is fitted, and little is lost."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from pocketintent.compression.kinds import tables_of
from pocketintent.runtime.arrays import FloatArray, half_precision
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.quantization.matrices import LARGEST, DenseMatrix, QuantizedMatrix
from pocketintent.runtime.quantization.quantizer import Quantizer

EncoderT = TypeVar("EncoderT", bound=ModelEncoder)

_STEP = np.float32(1 / 128)  # the steps between centroids, exact in half precision


def int8_rows(vectors: FloatArray) -> QuantizedMatrix:
    """Store each number of a matrix in 8 bits, with a half-precision factor for each row.

    The codebook has the 255 multiples of 1/128 from -127/128 to 127/128, and the largest number of
    a row becomes the last or the first of them, so that the rows are those of an
    :class:`Int8Matrix`. They are read, selected and exported like rows of any other codebook.

    Args:
        vectors: float32 [n, dim].

    Raises:
        PocketIntentError: A row is too large for half precision.
    """
    codebook = np.arange(-LARGEST, LARGEST + 1, dtype=np.float32) * _STEP
    quantizer = Quantizer(codebook[None, :, None], vectors.shape[1], normalised=True)
    largest = np.abs(vectors).max(axis=1, initial=0.0)
    norms = half_precision(np.asarray(largest / (LARGEST * _STEP), np.float32), "norms")
    # A row whose factor rounds to 0 becomes zeros.
    divisors = np.where(norms > 0, norms, np.inf).astype(np.float32) * _STEP
    codes = np.rint(vectors / divisors[:, None]).clip(-LARGEST, LARGEST) + LARGEST
    return QuantizedMatrix(codes.astype(np.uint8), norms, quantizer)


def int8_tables(encoder: EncoderT) -> EncoderT:
    """A copy whose float tables are rows of 8-bit integers; tables of codes stay.

    Args:
        encoder: The encoder; it is not changed.

    Raises:
        PocketIntentError: A row is too large for half precision.
    """
    tables: dict[str, Any] = {
        name: int8_rows(table.vectors)
        for name, table in tables_of(encoder).items()
        if isinstance(table, DenseMatrix)
    }
    return encoder.replace(**tables) if tables else encoder
