"""Codebooks of sub-vectors, fitted to a sample of vectors.

A vector of ``dim`` numbers is cut into ``dim / sub_dim`` sub-vectors. Either each position of a
sub-vector has its own codebook, or all positions share one. Every codebook is fitted by
:mod:`pocketintent.runtime.quantization.lbg`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from pocketintent.runtime.arrays import FloatArray, row_lengths, unit_rows
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.quantization.checks import check_matrix, half_precision
from pocketintent.runtime.quantization.lbg import fit_lbg
from pocketintent.runtime.quantization.packing import MAX_BITS

Progress = Callable[[int, int], None]
"""Called as ``progress(done, total)`` after each unit of work."""

_MIN_SAMPLES_PER_CENTROID = 32


def fit_codebooks(
    vectors: FloatArray,
    *,
    sub_dim: int,
    codebook_size: int,
    per_position: bool,
    normalised: bool,
    weights: npt.ArrayLike | None,
    sample: int,
    seed: int,
    progress: Progress | None,
) -> FloatArray:
    """Fit the codebooks of a quantiser; the arguments are those of :meth:`Quantizer.fit`.

    Returns:
        float32 ``[num_codebooks, codebook_size, sub_dim]``, rounded to half precision as in the
        model file; num_codebooks is ``dim / sub_dim`` with ``per_position``, otherwise 1.

    Raises:
        PocketIntentError: See :meth:`Quantizer.fit`.
    """
    check_matrix(vectors)
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
    rows = _draw(vectors, sample, rng, weights)
    if normalised:
        lengths = row_lengths(rows)
        rows = unit_rows(rows[lengths > 0] if lengths.any() else rows)
    if per_position:
        parts = [rows[:, start : start + sub_dim] for start in range(0, dim, sub_dim)]
    else:
        parts = [_draw(rows.reshape(-1, sub_dim), sample, rng)]
    codebooks = np.empty((len(parts), codebook_size, sub_dim), dtype=np.float32)
    for position, part in enumerate(parts):
        codebooks[position] = fit_lbg(part, codebook_size)
        if progress is not None:
            progress(position + 1, len(parts))
    return half_precision(codebooks, "codebook").astype(np.float32)


def _draw(
    vectors: FloatArray,
    sample: int,
    rng: np.random.Generator,
    weights: npt.ArrayLike | None = None,
) -> FloatArray:
    """A sample in the order of the rows: with weights with replacement, otherwise without."""
    if weights is not None:
        shares = _shares(weights, len(vectors))
        rows = np.sort(rng.choice(len(vectors), sample, p=shares))
        return np.asarray(vectors[rows], dtype=np.float32)
    if len(vectors) > sample:
        vectors = vectors[np.sort(rng.choice(len(vectors), sample, replace=False))]
    return np.asarray(vectors, dtype=np.float32)


def _shares(weights: npt.ArrayLike, num_rows: int) -> npt.NDArray[np.float64]:
    values = np.asarray(weights, dtype=np.float64)
    if values.shape != (num_rows,) or not (values >= 0).all() or not 0 < values.sum() < np.inf:
        raise PocketIntentError(
            f"weights must be {num_rows} finite numbers from 0, at least one of them above 0"
        )
    shares: npt.NDArray[np.float64] = values / values.sum()
    return shares
