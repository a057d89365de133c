"""Features of a text that a recogniser graph takes beside the inputs of the encoder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.errors import UPGRADE, ModelFileError
from pocketintent.runtime.text.languages import is_negated, read_negations
from pocketintent.runtime.text.ngram_counts import NUM_BUCKETS, SETTINGS, count_ngrams

NGRAM_COUNTS, NEGATION = "ngram_counts", "negation"
"""Names of the features, which are those of the graph's inputs; ``docs/decision.md`` specifies
them."""

TextFeature = tuple[Callable[[str], FloatArray], int]
"""A function of the text alone, and the number of its values."""


def _ngram_counts(settings: Mapping[str, Any]) -> TextFeature:
    """The signed counts of hashed n-grams."""
    if settings != SETTINGS:
        raise ModelFileError(
            f"{NGRAM_COUNTS!r} is {settings!r}, and this runtime computes {SETTINGS!r}; {UPGRADE}"
        )
    return count_ngrams, NUM_BUCKETS


def _negation(settings: Mapping[str, Any]) -> TextFeature:
    """Whether one of the text's tokens is a negation."""
    words = read_negations(settings.get("words"), "the recogniser")
    return lambda text: np.array([is_negated(text, words)], np.float32), 1


TEXT_FEATURES: dict[str, Callable[[Mapping[str, Any]], TextFeature]] = {
    NGRAM_COUNTS: _ngram_counts,
    NEGATION: _negation,
}
"""Makes each feature of its settings, by its name."""


class TextFeatures:
    """The features that a recogniser graph takes, and the ``sizes`` of each by name.

    ``settings`` is the manifest's entry ``features``: what describes each feature, by its name in
    ``TEXT_FEATURES``, in the order of the graph's inputs. ModelFileError for settings by which this
    runtime does not compute.
    """

    def __init__(self, settings: Mapping[str, Mapping[str, Any]]) -> None:
        features = {name: TEXT_FEATURES[name](entry) for name, entry in settings.items()}
        self._functions = {name: compute for name, (compute, _) in features.items()}
        self.sizes = {name: size for name, (_, size) in features.items()}

    def __call__(self, text: str) -> dict[str, FloatArray]:
        """The inputs for a text by name, each without its batch axis."""
        return {name: compute(text) for name, compute in self._functions.items()}
