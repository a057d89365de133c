"""The decisions ``nearest`` and ``nearest+centroid``: the similarity to templates is the score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.decision.scoring import Parts, Scorer
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.graphs.features import FeatureSettings
from pocketintent.runtime.index.hits import Hit, HitBlock
from pocketintent.runtime.index.indexing import IndexedTemplates
from pocketintent.runtime.index.matching import Index, Similarity
from pocketintent.runtime.templates.template_set import TemplateSet


@dataclass(frozen=True, eq=False)
class NearestScorer:
    """Scores an intent by its templates; see :class:`Scorer`."""

    index: Index
    """The templates."""
    similarity: Similarity
    """Which similarities make the score."""

    @property
    def text_features(self) -> FeatureSettings:
        """None."""
        return {}

    @classmethod
    def make(
        cls,
        similarity: Similarity,
        encoder: Encoder,
        templates: TemplateSet,
        indexed: IndexedTemplates,
        old: Scorer | None,
    ) -> NearestScorer:
        """The scorer of an index; it depends on nothing else."""
        assert indexed.index is not None
        return cls(indexed.index, similarity)

    @classmethod
    def read(
        cls,
        similarity: Similarity,
        encoder: Encoder,
        indexed: IndexedTemplates,
        settings: Mapping[str, Any],
        tensors: Mapping[str, NDArray[Any]],
    ) -> NearestScorer:
        """The scorer of a bot file's index, which has all that it needs."""
        assert indexed.index is not None
        return cls(indexed.index, similarity)

    def search(self, text: str, vector: FloatArray, limit: int) -> list[Hit]:
        """The best intents; see :meth:`Scorer.search`."""
        return self.index.search(vector, self.similarity, limit)

    def search_block(self, texts: Sequence[str], vectors: FloatArray, limit: int) -> HitBlock:
        """The best intents of several texts; see :meth:`Scorer.search_block`."""
        return self.index.search_block(vectors, self.similarity, limit)

    def score_block(self, texts: Sequence[str], vectors: FloatArray) -> FloatArray:
        """The scores of all intents; see :meth:`Scorer.score_block`."""
        return self.index.intent_scores(vectors, self.similarity)

    def to_parts(self) -> Parts:
        """Nothing: the index is all."""
        return {}, {}
