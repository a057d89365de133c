"""Semantic textual similarity: correlation of cosine with human scores."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketintent.evaluation.metrics import kendall, pearson, spearman, wrong_order
from pocketintent.evaluation.records import ScoredPair, read_scored_pairs
from pocketintent.evaluation.similarity.batches import encode_in_batches
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.errors import PocketIntentError


def evaluate_sts(encoder: Encoder, path: str | Path) -> dict[str, Any]:
    """Correlate the cosine of sentence pairs with their gold scores.

    If either sentence of a pair has no known word, its cosine is 0.

    Args:
        encoder: Any encoder.
        path: Lines of ``{"a": text, "b": text, "score": number}``, such as the STS Benchmark.

    Returns:
        ``{"pearson", "spearman", "kendall_b", "kendall_c", "pairs"}``. A correlation is NaN if
        all cosines or all scores are equal.

    Raises:
        PocketIntentError: A line is malformed (the message names the file and the line), or the
            file has fewer than two pairs.
    """
    return correlate(encoder, read_scored_pairs(path), path)


def title_of_pairs(path: Path) -> str:
    """The title of a file of scored pairs: "STS-B dev", or the file's name."""
    path = path.absolute()
    return f"STS-B {path.stem}" if path.parent.name == "stsb" else path.name


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
    return correlate_cosines(pair_cosines(encoder, pairs, path), pairs)


def correlate_cosines(cosines: NDArray[np.float64], pairs: Sequence[ScoredPair]) -> dict[str, Any]:
    """The report of :func:`evaluate_sts` for cosines that are known, [num_pairs]."""
    gold = [pair.score for pair in pairs]
    kendall_b, kendall_c = kendall(cosines, gold)
    return {
        "pearson": pearson(cosines, gold),
        "spearman": spearman(cosines, gold),
        "kendall_b": kendall_b,
        "kendall_c": kendall_c,
        "pairs": len(pairs),
    }


def pair_cosines(
    encoder: Encoder, pairs: Sequence[ScoredPair], path: str | Path
) -> NDArray[np.float64]:
    """The cosine of the two texts of each pair, float64 [num_pairs]; each text is encoded once.

    Args:
        encoder: Any encoder.
        pairs: The pairs.
        path: Their file, for the error message.

    Raises:
        PocketIntentError: There are fewer than two pairs.
    """
    if len(pairs) < 2:
        raise PocketIntentError(f"{path}: a correlation needs at least 2 pairs, found {len(pairs)}")
    rows: dict[str, int] = {}
    left = [rows.setdefault(pair.a, len(rows)) for pair in pairs]
    right = [rows.setdefault(pair.b, len(rows)) for pair in pairs]
    vectors = encode_in_batches(encoder, list(rows))
    cosines: NDArray[np.float64] = np.einsum(
        "ij,ij->i", vectors[left], vectors[right], dtype=np.float64
    )
    return cosines


def separate(cosines: NDArray[np.float64], pairs: Sequence[ScoredPair]) -> dict[str, Any]:
    """Compare pairs that are labelled similar, score 1, with pairs that are not, score 0.

    Source: Vasilyev and Bohannon 2022, "Neural embeddings for text", equation 4.

    Args:
        cosines: The cosine of each pair, float64 [num_pairs].
        pairs: The pairs; at least one of each label.

    Returns:
        ``{"wrong", "total", "error", "same", "different"}``: how many of all combinations of a
        similar pair and one that is not have no higher cosine for the similar pair, the number
        of combinations, the share, and the mean cosine of either kind of pair.
    """
    similar = np.array([pair.score > 0 for pair in pairs])
    same, different = cosines[similar], cosines[~similar]
    wrong, total = wrong_order(same, different), len(same) * len(different)
    return {
        "wrong": wrong,
        "total": total,
        "error": wrong / total,
        "same": float(same.mean()),
        "different": float(different.mean()),
    }
