"""Retrieval by words in common: TF-IDF and BM25, on scikit-learn's counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.errors import require
from pocketintent.runtime.text.tokenizer import simple_tokenize

K1, B = 1.5, 0.75
"""Parameters of BM25: how soon repetitions saturate, and how much the length counts."""


def score_tfidf(documents: Sequence[str], questions: Sequence[str]) -> FloatArray:
    """Cosines of TF-IDF vectors, with scikit-learn's defaults and the tokenizer ``simple``.

    Returns:
        float32 [num_questions, num_documents].
    """
    vectorizer = _vectorizer("TfidfVectorizer")
    rows = vectorizer.fit_transform(documents)
    return _dense(vectorizer.transform(questions) @ rows.T)


def score_bm25(documents: Sequence[str], questions: Sequence[str]) -> FloatArray:
    """Okapi BM25 (Robertson and Zaragoza 2009), with the non-negative IDF of Lucene.

    A word of the question adds ``idf * f * (K1 + 1) / (f + K1 * (1 - B + B * length / mean))``,
    with its frequency f in the document and ``idf = ln(1 + (N - n + 0.5) / (n + 0.5))``.

    Returns:
        float32 [num_questions, num_documents].
    """
    vectorizer = _vectorizer("CountVectorizer")
    counts = vectorizer.fit_transform(documents).astype(np.float64)
    frequency = np.asarray((counts > 0).sum(axis=0)).ravel()
    idf = np.log1p((len(documents) - frequency + 0.5) / (frequency + 0.5))
    lengths = np.asarray(counts.sum(axis=1)).ravel()
    shares = K1 * (1 - B + B * lengths / max(lengths.mean(), 1e-9))
    weights = counts.tocoo()
    weights.data *= (K1 + 1) / (weights.data + shares[weights.row]) * idf[weights.col]
    return _dense(vectorizer.transform(questions) @ weights.tocsr().T)


def _vectorizer(name: str) -> Any:
    text = require("sklearn.feature_extraction.text", "evaluate")
    return getattr(text, name)(tokenizer=simple_tokenize, token_pattern=None, lowercase=False)


def _dense(scores: Any) -> FloatArray:
    return np.asarray(scores.todense(), np.float32)
