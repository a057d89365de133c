"""Semantic textual similarity: how well cosine follows the similarity that people gave."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pocketintent.evaluation.metrics import pearson, spearman
from pocketintent.evaluation.records import ScoredPair, read_scored_pairs
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.errors import PocketIntentError


def evaluate_sts(encoder: Encoder, path: str | Path) -> dict[str, Any]:
    """Correlate the cosine of sentence pairs with their gold scores.

    A pair with a sentence that the encoder knows nothing of has a cosine of 0.

    Args:
        encoder: Any encoder.
        path: Lines of ``{"a": text, "b": text, "score": number}``, as of the STS Benchmark.

    Returns:
        ``{"pearson": float, "spearman": float, "pairs": int}``. A correlation is NaN when all
        cosines or all scores are equal.

    Raises:
        PocketIntentError: A line is bad (the message names file and line), or the file has
            fewer than two pairs.
    """
    return correlate(encoder, read_scored_pairs(path), path)


def correlate(encoder: Encoder, pairs: Sequence[ScoredPair], path: str | Path) -> dict[str, Any]:
    """Correlate the cosine of pairs with their scores.

    Args:
        encoder: Any encoder.
        pairs: The pairs.
        path: Where they are from, for the message.

    Returns:
        As :func:`evaluate_sts`.

    Raises:
        PocketIntentError: There are fewer than two pairs.
    """
    if len(pairs) < 2:
        raise PocketIntentError(f"{path}: a correlation needs at least 2 pairs, found {len(pairs)}")
    left = encoder.encode_batch([pair.a for pair in pairs])
    right = encoder.encode_batch([pair.b for pair in pairs])
    cosines = np.einsum("ij,ij->i", left, right, dtype=np.float64)
    gold = [pair.score for pair in pairs]
    return {
        "pearson": pearson(cosines, gold),
        "spearman": spearman(cosines, gold),
        "pairs": len(pairs),
    }
