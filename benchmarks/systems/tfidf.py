"""TF-IDF of words, by scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from pocketintent.runtime.errors import require


class Tfidf:
    """TF-IDF of words by scikit-learn; the nearest template by a sparse product."""

    def build(self, cache: Path, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Make nothing: it is fitted on the templates."""

    def load(self, cache: Path) -> None:
        """Import scikit-learn and make the vectoriser."""
        text = require("sklearn.feature_extraction.text", "evaluate")
        self.vectorizer = text.TfidfVectorizer(dtype=np.float32)

    def teach(self, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Fit the vectoriser on the templates."""
        self.templates = self.vectorizer.fit_transform(texts)
        self.intents = list(intents)

    def match(self, text: str) -> str:
        """The intent of the nearest template."""
        scores = self.templates @ self.vectorizer.transform([text]).T
        return self.intents[int(scores.toarray().argmax())]

    def size(self, cache: Path) -> int:
        """Zero: an app ships the templates alone."""
        return 0
