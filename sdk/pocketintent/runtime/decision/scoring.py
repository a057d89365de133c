"""The contract of decisions: what a recogniser asks of whatever scores the intents of a text.

To add a decision, write a class with these methods and add a line to
:mod:`pocketintent.runtime.decision.registry`. To make it exportable, write its torch module and add
a line to the registry of the export, ``layers.decisions``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.graphs.features import FeatureSettings
from pocketintent.runtime.index.hits import Hit, HitBlock

Parts = tuple[dict[str, Any], dict[str, NDArray[Any]]]
"""A part of a bot file: an entry of its manifest, and its tensors by name without a prefix."""


class Scorer(Protocol):
    """Scores the intents of an index; never changed, so that threads can share it."""

    @property
    def text_features(self) -> FeatureSettings:
        """Features of the text that it reads beside the sentence vector.

        Exported graphs name and describe them so; see :mod:`pocketintent.runtime.graphs.features`.
        """
        ...

    def search(self, text: str, vector: FloatArray, limit: int) -> list[Hit]:
        """The best intents of a text.

        Args:
            text: The text.
            vector: float32 [dim], its sentence vector, of unit length.
            limit: Maximum number of hits.

        Returns:
            Hits in descending order of score; of equal scores the first intent, and its first
            template.
        """
        ...

    def search_block(self, texts: Sequence[str], vectors: FloatArray, limit: int) -> HitBlock:
        """The best intents of several texts.

        Args:
            texts: The texts.
            vectors: float32 [num_texts, dim], their sentence vectors, of unit length.
            limit: Maximum number of hits for each text.

        Returns:
            The intents and templates that :meth:`search` finds for each text, in its order; the
            scores are equal up to rounding, which depends on the number of texts.
        """
        ...

    def score_block(self, texts: Sequence[str], vectors: FloatArray) -> FloatArray:
        """The scores of all intents, float32 [num_texts, num_intents]; see :meth:`search_block`."""
        ...

    def to_parts(self) -> Parts:
        """What the decision adds to a bot file, besides the index.

        The decision's reader in :mod:`pocketintent.runtime.decision.registry` makes a scorer of
        it that gives equal scores to the last bit.
        """
        ...
