"""Small random vectors, and quantisers fitted on them."""

from typing import Any

import numpy as np

from pocketintent.compression.codebooks import fit_quantizer
from pocketintent.runtime.quantization.quantizer import Quantizer


def make_vectors(n: int = 300, dim: int = 12, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    scale = rng.uniform(0.1, 3.0, (n, 1)).astype(np.float32)
    return rng.standard_normal((n, dim), dtype=np.float32) * scale


def fit(vectors: np.ndarray, **settings: Any) -> Quantizer:
    return fit_quantizer(vectors, **{"sub_dim": 3, "codebook_size": 16, **settings})
