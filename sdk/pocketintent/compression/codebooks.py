"""Vectors become codes: codebooks are fitted, and matrices are encoded with them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from pocketintent.runtime.arrays import (
    FloatArray,
    check_finite,
    half_precision,
    row_lengths,
    row_products,
    unit_rows,
)
from pocketintent.runtime.encoders.weights import StoredMatrix, WeightFormat, Weights
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.quantization.lbg import draw_rows, fit_lbg
from pocketintent.runtime.quantization.matrices import (
    LARGEST,
    ROWS_AT_ONCE,
    DenseMatrix,
    Int8Matrix,
    QuantizedMatrix,
)
from pocketintent.runtime.quantization.quantizer import MAX_BITS, Quantizer

Progress = Callable[[int, int], None]
"""Called as ``progress(done, total)`` after each unit of work."""

_MIN_SAMPLES_PER_CENTROID = 32


def fit_quantizer(
    vectors: FloatArray,
    *,
    sub_dim: int,
    codebook_size: int,
    per_position: bool = True,
    normalised: bool = True,
    weights: npt.ArrayLike | None = None,
    sample: int = 50_000,
    seed: int = 0,
    progress: Progress | None = None,
) -> Quantizer:
    """Fit codebooks to vectors, float32 ``[n, dim]``, by the Linde-Buzo-Gray algorithm.

    Each is fitted on ``sample`` sub-vectors or more, at least 32 a centroid, in which the vectors
    have equal shares, or those of ``weights``, ``[n]``, not negative. ``normalised`` vectors are
    brought to unit length first. Centroids are rounded to half precision, as in the model file.

    Sizes that do not fit, no vectors, numbers that are not finite, and unusable weights are
    PocketIntentErrors; see :class:`Quantizer` for the other settings.
    """
    if vectors.ndim != 2 or vectors.shape[1] == 0:
        raise PocketIntentError(f"vectors must be [n, dim], not {list(vectors.shape)}")
    check_finite(vectors)
    if len(vectors) == 0:
        raise PocketIntentError("there are no vectors to fit codebooks on")
    dim = vectors.shape[1]
    if sub_dim < 1 or dim % sub_dim:
        divisors = [size for size in range(1, dim + 1) if dim % size == 0]
        raise PocketIntentError(
            f"sub_dim {sub_dim} does not divide dim {dim}; choose one of {divisors}"
        )
    if not 1 <= codebook_size <= 1 << MAX_BITS:
        raise PocketIntentError(f"codebook_size {codebook_size} is not in 1..{1 << MAX_BITS}")
    rng = np.random.default_rng(seed)
    sample = max(sample, _MIN_SAMPLES_PER_CENTROID * codebook_size)
    if weights is None:
        rows = draw_rows(vectors, sample, rng)
    else:
        shares = np.asarray(weights, np.float64)
        is_usable = shares.shape == (len(vectors),) and bool((shares >= 0).all())
        if not is_usable or not 0 < shares.sum() < np.inf:
            raise PocketIntentError(
                f"weights must be {len(vectors)} finite numbers from 0, at least one of them "
                "above 0"
            )
        rows = vectors[np.sort(rng.choice(len(vectors), sample, p=shares / shares.sum()))]
    if normalised:
        lengths = row_lengths(rows)
        rows = unit_rows(rows[lengths > 0] if lengths.any() else rows)
    if per_position:
        parts = [rows[:, start : start + sub_dim] for start in range(0, dim, sub_dim)]
    else:
        parts = [draw_rows(rows.reshape(-1, sub_dim), sample, rng)]
    codebooks = np.empty((len(parts), codebook_size, sub_dim), dtype=np.float32)
    for position, part in enumerate(parts):
        codebooks[position] = fit_lbg(part, codebook_size)
        if progress is not None:
            progress(position + 1, len(parts))
    return Quantizer(half_precision(codebooks, "codebook").astype(np.float32), dim, normalised)


def encode_matrix(
    vectors: FloatArray, quantizer: Quantizer, *, progress: Progress | None = None
) -> QuantizedMatrix:
    """Quantise vectors, float32 ``[n, dim]``; ``progress`` is called after a block of rows.

    A stored norm has the least squared error, ``x . d / d . d`` for the decoded direction ``d``.
    Vectors of another size, not finite, or too long for half precision are a PocketIntentError.
    """
    check_finite(vectors)
    if (dim := vectors.shape[1]) != quantizer.dim:
        raise PocketIntentError(f"vectors have dim {dim}; the quantizer has {quantizer.dim}")
    codes = np.empty((len(vectors), quantizer.num_sub), dtype=quantizer.code_dtype)
    norms = np.zeros(len(vectors), dtype=np.float16) if quantizer.normalised else None
    for start in range(0, len(vectors), ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        block = np.asarray(vectors[rows], dtype=np.float32)
        if norms is None:
            codes[rows] = quantizer.assign(block)
        else:
            units = unit_rows(block)
            codes[rows] = quantizer.assign(units)
            decoded = quantizer.decode_codes(codes[rows])
            energy = row_products(decoded, decoded)
            scale = row_products(units, decoded) / np.where(energy > 0, energy, np.float32(1))
            norms[rows] = half_precision(scale * row_lengths(block), "norms", start)
        if progress is not None:
            progress(min(start + ROWS_AT_ONCE, len(vectors)), len(vectors))
    return QuantizedMatrix(codes, norms, quantizer)


def quantise_weights(
    weights: Weights, form: WeightFormat, *, sub_dim: int, codebook_size: int, seed: int = 0
) -> Weights:
    """The weights of a network in another format; vectors, such as biases, stay float32.

    ``int8`` has a half-precision factor for each row; ``codebook`` a code for each ``sub_dim``
    numbers, which must divide the inputs of every matrix, and a half-precision length for each row;
    ``float32`` decodes quantised weights. ``seed`` is that of the codebooks' sample. A setting out
    of range, and a weight that is not finite, are PocketIntentErrors.
    """

    def store(name: str, matrix: FloatArray) -> StoredMatrix:
        try:
            return quantise(matrix)
        except PocketIntentError as error:
            raise PocketIntentError(f"weight {name}: {error}") from error

    def quantise(matrix: FloatArray) -> StoredMatrix:
        if form == "int8":
            return encode_int8(matrix)
        if form == "float32":
            return DenseMatrix(matrix)
        # One codebook for all positions: the inputs of a layer are all alike, and a codebook for
        # each would be larger than the codes.
        quantizer = fit_quantizer(
            matrix, sub_dim=sub_dim, codebook_size=codebook_size, per_position=False, seed=seed
        )
        return encode_matrix(matrix, quantizer)

    stored = {name: store(name, matrix.decode()) for name, matrix in weights.matrices.items()}
    return Weights(form, stored, weights.vectors)


def encode_int8(matrix: FloatArray) -> Int8Matrix:
    """Quantise a float32 matrix: the largest number of each row becomes 127 or -127.

    Numbers that are not finite, or too large for half precision, are a PocketIntentError.
    """
    check_finite(matrix)
    largest = np.abs(matrix).max(axis=1, initial=0.0)
    scales = half_precision(np.asarray(largest / LARGEST, np.float32), "scales")
    # A row whose factor rounds to 0 becomes zeros.
    divisors = np.where(scales > 0, scales, np.inf).astype(np.float32)
    codes = np.rint(matrix / divisors[:, None]).clip(-LARGEST, LARGEST).astype(np.int8)
    return Int8Matrix(codes, scales)
