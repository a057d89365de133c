"""The functions f_mixture and f_ensemble of multi-resolution embeddings.

Source: Cakaloglu and Xu 2019, "A Multi-Resolution Word Embedding for Document Retrieval from Large
Unstructured Knowledge Bases", equations 1 to 4 and Algorithm 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from pocketintent.runtime.arrays import FloatArray

Combination = Literal["sum", "average", "concatenate"]
"""How several vectors of a word become one."""


def mix_layers(
    layers: FloatArray,
    weights: Sequence[float],
    combination: Combination = "sum",
    idf: FloatArray | None = None,
) -> FloatArray:
    """f_mixture(E, w_idf, m): the vectors of words from the layers of one model.

    Equations 1 and 2: the layers, each times its weight, are summed, averaged or concatenated, and
    the result is multiplied by the IDF of the word.

    Args:
        layers: E, the vectors of the words in each layer, float32 [num_layers, num_words, dim].
        weights: m, the weight of each layer; they sum to 1.
        combination: How the weighted layers are combined.
        idf: w_idf, the weight of each word, float32 [num_words]; None for no weights.

    Returns:
        float32 [num_words, dim], or [num_words, num_layers * dim] of a concatenation.
    """
    weighted = layers * np.asarray(weights, np.float32)[:, None, None]
    words = _combine(list(weighted), combination)
    return words if idf is None else words * idf[:, None]


def join_mixtures(
    mixtures: Sequence[FloatArray],
    weights: Sequence[float],
    combination: Combination = "concatenate",
) -> FloatArray:
    """f_ensemble(X', u): the vectors of words from several mixtures.

    Equations 3 and 4. For a sum or an average, shorter vectors are coerced to the length of the
    longest by zeros.

    Args:
        mixtures: X', the vectors of the same words in each mixture, float32 [num_words, dim] each.
        weights: u, the weight of each mixture.
        combination: How the weighted mixtures are combined.

    Returns:
        float32 [num_words, largest dim], or [num_words, sum of dims] of a concatenation.
    """
    weighted = [
        mixture * np.float32(weight) for mixture, weight in zip(mixtures, weights, strict=True)
    ]
    if combination != "concatenate":
        longest = max(mixture.shape[1] for mixture in weighted)
        weighted = [
            np.pad(mixture, ((0, 0), (0, longest - mixture.shape[1]))) for mixture in weighted
        ]
    return _combine(weighted, combination)


def _combine(parts: Sequence[FloatArray], combination: Combination) -> FloatArray:
    """Combine several vectors [num_words, dim] of each word."""
    if combination == "concatenate":
        return np.concatenate(parts, axis=1)
    total: FloatArray = np.sum(parts, axis=0, dtype=np.float32)
    return total / np.float32(len(parts)) if combination == "average" else total
