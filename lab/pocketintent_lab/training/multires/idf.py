"""Inverse document frequency of words."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.errors import PocketIntentError


class InverseDocumentFrequency:
    """w_idf: the natural logarithm of the number of documents over a word's document frequency.

    A word that is in no document has the weight of a word in a single document.

    Args:
        documents: The tokens of each document.

    Raises:
        PocketIntentError: There are no documents.
    """

    def __init__(self, documents: Iterable[Sequence[str]]) -> None:
        frequencies: Counter[str] = Counter()
        self.num_documents = 0
        for tokens in documents:
            frequencies.update(set(tokens))
            self.num_documents += 1
        if not self.num_documents:
            raise PocketIntentError("the IDF of words requires documents, and there are none")
        self._weights = {
            word: math.log(self.num_documents / count) for word, count in frequencies.items()
        }

    def __call__(self, tokens: Sequence[str]) -> FloatArray:
        """The weights of tokens, float32 [num_tokens]."""
        rarest = math.log(self.num_documents)
        return np.array([self._weights.get(token, rarest) for token in tokens], np.float32)
