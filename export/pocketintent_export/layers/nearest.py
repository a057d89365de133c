"""The decisions ``nearest`` and ``nearest+centroid`` as a torch module."""

from __future__ import annotations

from torch import Tensor, nn

from pocketintent.runtime.decision.nearest import NearestScorer


class NearestModule(nn.Module):
    """Scores intents by their nearest templates, and by their centroids if the decision does.

    Args:
        scorer: The runtime's scorer.
    """

    def __init__(self, scorer: NearestScorer) -> None:
        super().__init__()
        self.with_centroid = scorer.similarity == "nearest+centroid"

    def forward(self, vectors: Tensor, nearest: Tensor, centroids: Tensor) -> Tensor:
        """The scores; see :mod:`pocketintent_export.layers.decisions`."""
        return ((nearest + centroids) * 0.5 if self.with_centroid else nearest).t()
