"""Semantic textual similarity: correlation of cosine with human scores."""

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

    If either sentence of a pair has no known word, its cosine is 0.

    Args:
        encoder: Any encoder.
        path: Lines of ``{"a": text, "b": text, "score": number}``, such as the STS Benchmark.

    Returns:
        ``{"pearson": float, "spearman": float, "pairs": int}``. A correlation is NaN if all
        cosines or all scores are equal.

    Raises:
        PocketIntentError: A line is malformed (the message names the file and the line), or the
            file has fewer than two pairs.
    """
    return correlate(encoder, read_scored_pairs(path), path)


def correlate(encoder: Encoder, pairs: Sequence[ScoredPair], path: str | Path) -> dict[str, Any]:
    """Correlate the cosine of text pairs with their scores.

    Args:
        encoder: Any encoder.
        pairs: The pairs.
        path: Their file, for the error message.

    Returns:
        The report of :func:`evaluate_sts`.

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
