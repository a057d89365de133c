"""The decisions as torch modules; a new decision is a class and a line in ``_MODULES``.

A decision's module is called as ``module(vectors, nearest, centroids, *features)``: the unit
sentence vectors, float32 [batch, dim], or zeros where nothing is known; their similarities to the
nearest template and to the centroid of each intent, float32 [num_intents, batch]; and the
scorer's features of the text, each float32 [batch, size]. It returns the scores, float32
[batch, num_intents], which are all 0 for a vector of zeros, and only then.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from pocketintent.runtime.decision.logistic.scorer import LogisticScorer
from pocketintent.runtime.decision.nearest import NearestScorer
from pocketintent.runtime.decision.scoring import Scorer
from pocketintent.runtime.errors import PocketIntentError


class NearestModule(nn.Module):
    """Scores intents by their nearest templates, and by their centroids if the decision does."""

    def __init__(self, scorer: NearestScorer) -> None:
        super().__init__()
        self.with_centroid = scorer.similarity == "nearest+centroid"

    def forward(self, vectors: Tensor, nearest: Tensor, centroids: Tensor) -> Tensor:
        """The scores; see the module."""
        return ((nearest + centroids) * 0.5 if self.with_centroid else nearest).t()


class LogisticModule(nn.Module):
    """Scores intents by the probabilities of the fitted classifier."""

    of_vector: Tensor
    of_counts: Tensor
    biases: Tensor
    squares: Tensor
    of_negation: Tensor

    def __init__(self, scorer: LogisticScorer) -> None:
        super().__init__()
        of_vector, of_counts, biases, squares = map(torch.from_numpy, scorer.classifier.parts)
        self.register_buffer("of_vector", of_vector.t().contiguous())
        self.register_buffer("of_counts", of_counts.t().contiguous())
        self.register_buffer("biases", biases)
        self.register_buffer("squares", squares[:, None])
        self.register_buffer("of_negation", torch.from_numpy(scorer.classifier.of_negation))

    def forward(
        self,
        vectors: Tensor,
        nearest: Tensor,
        centroids: Tensor,
        counts: Tensor,
        negation: Tensor | None = None,
    ) -> Tensor:
        """The probabilities; see the module.

        ``counts`` is float32 [batch, NUM_BUCKETS]; ``negation``, float32 [batch, 1], is 1 for a
        negated text, and None for a classifier that does not look for negations.
        """
        squares = torch.matmul(counts * counts, self.squares)
        ngrams = counts / torch.sqrt(torch.where(squares > 0, squares, 1.0))
        logits = torch.matmul(vectors, self.of_vector) + torch.matmul(ngrams, self.of_counts)
        if negation is not None:
            logits = logits + negation * self.of_negation
        is_known = ((vectors * vectors).sum(-1, keepdim=True) > 0).to(torch.float32)
        return torch.sigmoid(logits + self.biases) * is_known


_MODULES: dict[type, Callable[[Any], nn.Module]] = {
    NearestScorer: NearestModule,
    LogisticScorer: LogisticModule,
}


def decision_module(scorer: Scorer) -> nn.Module:
    """The module of a scorer; a PocketIntentError if its kind cannot be exported."""
    make = _MODULES.get(type(scorer))
    if make is None:
        raise PocketIntentError(f"a {type(scorer).__name__} cannot be exported")
    return make(scorer)
