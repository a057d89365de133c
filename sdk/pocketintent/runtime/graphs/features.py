"""Features of a text that a recogniser graph takes beside the inputs of the encoder."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.text.ngram_counts import MAX_N, MIN_N, NUM_BUCKETS, count_ngrams


class TextFeature(NamedTuple):
    """A function of the text alone, float32 [size]."""

    compute: Callable[[str], FloatArray]
    """The function."""
    size: int
    """Number of values."""
    settings: dict[str, Any]
    """The manifest's description of the function, for readers of a later version."""


TEXT_FEATURES: dict[str, TextFeature] = {
    "ngram_counts": TextFeature(
        count_ngrams, NUM_BUCKETS, {"min_n": MIN_N, "max_n": MAX_N, "num_buckets": NUM_BUCKETS}
    ),
}
"""The features by the name of their input; ``docs/decision.md`` specifies them."""


class TextFeatures:
    """The features that a recogniser graph takes.

    Args:
        names: Names of inputs, keys of ``TEXT_FEATURES``.

    Attributes:
        names: The names, in the order of the graph's inputs.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._features = {name: TEXT_FEATURES[name] for name in names}
        self.names = tuple(self._features)

    def __call__(self, text: str) -> dict[str, FloatArray]:
        """The inputs for a text by name, each without its batch axis."""
        return {name: feature.compute(text) for name, feature in self._features.items()}

    def to_manifest(self) -> dict[str, Any]:
        """The manifest's entry ``features``: the settings of each."""
        return {name: feature.settings for name, feature in self._features.items()}
