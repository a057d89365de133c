"""Recall at k: the share of questions with a relevant document among the first k."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pocketintent.runtime.arrays import FloatArray
from pocketintent_lab.evaluation.retrieval.data import Question

RANKS = (1, 3, 5)
"""The values of k."""


def recall(scores: FloatArray, questions: Sequence[Question]) -> dict[str, float]:
    """Recall at 1, 3 and 5; of documents with equal scores the first in order counts as better.

    Args:
        scores: Score of each document, the higher the better, [num_questions, num_documents].
        questions: The questions.

    Returns:
        ``{"recall@1", "recall@3", "recall@5"}``, each from 0 to 1.
    """
    order = np.argsort(-scores, axis=1, kind="stable")[:, : max(RANKS)]
    hits = np.array(
        [
            np.isin(found, question.relevant)
            for found, question in zip(order, questions, strict=True)
        ]
    )
    return {f"recall@{k}": round(float(hits[:, :k].any(axis=1).mean()), 4) for k in RANKS}
