"""Semantic textual similarity: correlation of cosine with human scores."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketintent.evaluation.metrics import kendall, pearson, spearman, wrong_order
from pocketintent.evaluation.records import ScoredPair, read_pairs
from pocketintent.evaluation.similarity.batches import encode_in_batches
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.errors import PocketIntentError


def evaluate_sts(
    encoder: Encoder,
    path: str | Path,
    *,
    a: str | None = None,
    b: str | None = None,
    score: str | None = None,
) -> dict[str, Any]:
    """Correlate the cosine of text pairs with their gold scores.

    If either text of a pair has no known word, its cosine is 0.

    Args:
        encoder: Any encoder.
        path: The pairs, such as those of the STS Benchmark; see :func:`read_pairs`.
        a: The column of the first texts; None for one that is recognised.
        b: The column of the second texts, as ``a``.
        score: The column of the scores, as ``a``.

    Returns:
        ``{"pearson", "spearman", "kendall_b", "kendall_c", "pairs", "columns"}``, the last a list
        of three names. A correlation is NaN if all cosines or all scores are equal. If the
        scores are the labels 0 and 1, also the fields of :func:`separate`.

    Raises:
        PocketIntentError: See :func:`read_pairs`; also if the file has fewer than two pairs.
    """
    pairs, columns = read_pairs(path, a=a, b=b, score=score)
    cosines = pair_cosines(encoder, pairs, path)
    report = {**correlate_cosines(cosines, pairs), "columns": list(columns)}
    if {pair.score for pair in pairs} == {0.0, 1.0}:
        report |= separate(cosines, pairs)
    return report


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
        The correlations of :func:`evaluate_sts`, and ``pairs``.

    Raises:
        PocketIntentError: There are fewer than two pairs.
    """
    return correlate_cosines(pair_cosines(encoder, pairs, path), pairs)


def correlate_cosines(cosines: NDArray[np.float64], pairs: Sequence[ScoredPair]) -> dict[str, Any]:
    """The correlations of :func:`correlate` for cosines that are known, [num_pairs]."""
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
