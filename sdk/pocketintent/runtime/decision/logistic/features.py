"""What the classifier sees of a text: its sentence vector, its hashed n-grams, and a negation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pocketintent.runtime.arrays import FloatArray, row_lengths, unit_rows
from pocketintent.runtime.background import Background
from pocketintent.runtime.text.languages import is_negated
from pocketintent.runtime.text.ngram_counts import NUM_BUCKETS, count_ngrams_of_texts

NGRAM_SCALE = 0.7
"""Length of the n-gram part, where the sentence vector has length 1. A scale of 1 is half a point
worse on clean text and 1 to 2 points better with two typing errors."""
NEGATION_SCALE = 2.5
"""Value of the negation feature of a negated text. With 1.5 up to twice as many negated commands
get the intent that they forbid; with 3 no fewer."""
LEAST_SIMILARITY = 0.25
"""Cosine similarity of a background line's n-grams to those of a negation above which the line
counts as negated. One line in seven then does, and almost half of these are. With a feature of 0
for all lines, a negated text that no intent is made for resembles templates such as "i can't log
in" more than any line, and is accepted ten times as often."""


def bucket_weights(background: Background | None) -> FloatArray:
    """The weight of each n-gram bucket, float32 [NUM_BUCKETS]: ones without a background."""
    return np.ones(NUM_BUCKETS, np.float32) if background is None else background.idf


@dataclass(frozen=True, eq=False)
class FeatureMaker:
    """Makes the features that a classifier is fitted on."""

    bucket_weights: FloatArray
    """float32 [NUM_BUCKETS], see :func:`bucket_weights`."""
    negations: frozenset[str]
    """The tokens that negate a text; empty if the classifier does not look for them."""

    def of_texts(self, texts: Sequence[str], vectors: FloatArray) -> FloatArray:
        """The features of several texts.

        Args:
            texts: The texts.
            vectors: float32 [n, dim], their sentence vectors.

        Returns:
            float32 [n, num_features]: the vectors; the weighted n-gram counts at length
            ``NGRAM_SCALE``, or zeros where there are none; and, if there are negations,
            ``NEGATION_SCALE`` for a negated text and 0 for another one.
        """
        weighted = count_ngrams_of_texts(texts) * self.bucket_weights
        lengths = row_lengths(weighted)[:, None]
        scaled = np.divide(
            weighted * np.float32(NGRAM_SCALE), lengths, where=lengths > 0, out=weighted
        )
        return np.concatenate([vectors, scaled, *self._flags(texts)], axis=1)

    def of_background(self, background: Background) -> FloatArray:
        """The features of the background's lines, float32 [num_lines, num_features].

        The lines are stored as codes, so whether one is negated is estimated from its n-grams.
        """
        ngrams = unit_rows(background.ngrams.decode())
        parts = [background.vectors.decode(), np.float32(NGRAM_SCALE) * ngrams]
        if self.negations:
            similarities = ngrams @ self._negation_ngrams().T
            negated = similarities.max(axis=1, keepdims=True) > LEAST_SIMILARITY
            parts.append(np.float32(NEGATION_SCALE) * negated)
        return np.concatenate(parts, axis=1)

    def _negation_ngrams(self) -> FloatArray:
        """The weighted n-grams of each negation at unit length, [num_negations, NUM_BUCKETS]."""
        # A token with an apostrophe follows a letter.
        texts = [f"n{word}" if word.startswith("'") else word for word in sorted(self.negations)]
        return unit_rows(count_ngrams_of_texts(texts) * self.bucket_weights)

    def _flags(self, texts: Sequence[str]) -> list[FloatArray]:
        """The column of the negation feature, if there is one."""
        if not self.negations:
            return []
        flags = [[NEGATION_SCALE * is_negated(text, self.negations)] for text in texts]
        return [np.array(flags, np.float32).reshape(-1, 1)]
