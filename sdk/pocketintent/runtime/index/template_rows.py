"""The rows of an index: templates and centroids, and the codebook that quantises them."""

from __future__ import annotations

import numpy as np

from pocketintent.runtime.arrays import FloatArray, row_products, unit_rows
from pocketintent.runtime.quantization.packing import CodeArray
from pocketintent.runtime.quantization.quantizer import Quantizer

SUB_DIM = 2
"""Two dimensions per code lose 0.1 points of accuracy on CLINC150; four lose up to a point."""
CODEBOOK_SIZE = 256
FIT_SAMPLE = 8192
"""Sub-vectors that the codebook is fitted on, in a tenth of a second; more make it no better."""


def fit_template_quantizer(vectors: FloatArray) -> Quantizer:
    """Fit a codebook for templates, shared by all positions, on a sample of sub-vectors.

    Args:
        vectors: float32 [n, dim], unit rows: templates and centroids, or, for a codebook that
            ships with a model, sentences of a corpus. With at most ``CODEBOOK_SIZE`` distinct
            sub-vectors, only the rounding to half precision is lost.

    Returns:
        A quantiser of ``SUB_DIM`` dimensions per code, or of 1 if dim is odd.
    """
    return Quantizer.fit(
        vectors,
        sub_dim=SUB_DIM if vectors.shape[1] % SUB_DIM == 0 else 1,
        codebook_size=CODEBOOK_SIZE,
        per_position=False,
        normalised=False,
        sample=FIT_SAMPLE,
    )


def quantization_errors(vectors: FloatArray, codes: CodeArray, quantizer: Quantizer) -> FloatArray:
    """Squared distance of each row to its decoded row at unit length, float32 [n]."""
    errors = vectors - unit_rows(quantizer.decode_codes(codes))
    return row_products(errors, errors)


def add_centroid(vectors: FloatArray) -> FloatArray:
    """Append the mean of an intent's templates, at unit length, as one more row.

    Args:
        vectors: float32 [num_templates, dim], unit rows, at least one.

    Returns:
        float32 [num_templates + 1, dim]; if the templates cancel out, the last row is the first
        template again, since a mean of zeros has no direction.
    """
    centroid = unit_rows(vectors.mean(axis=0, keepdims=True))
    return np.concatenate([vectors, centroid if centroid.any() else vectors[:1]])
