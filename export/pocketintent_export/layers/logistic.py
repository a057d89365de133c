"""The decision ``logistic`` as a torch module."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from pocketintent.runtime.decision.logistic.scorer import LogisticScorer


class LogisticModule(nn.Module):
    """Scores intents by the probabilities of the fitted classifier.

    Args:
        scorer: The runtime's scorer, whose weights become constants of the graph.
    """

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
        """The probabilities; see :mod:`pocketintent_export.layers.decisions`.

        Args:
            vectors: float32 [batch, dim].
            nearest: Not used.
            centroids: Not used.
            counts: The n-gram counts, float32 [batch, NUM_BUCKETS].
            negation: 1 for a negated text and 0 for another one, float32 [batch, 1]; None for a
                classifier that does not look for negations.
        """
        squares = torch.matmul(counts * counts, self.squares)
        ngrams = counts / torch.sqrt(torch.where(squares > 0, squares, 1.0))
        logits = torch.matmul(vectors, self.of_vector) + torch.matmul(ngrams, self.of_counts)
        if negation is not None:
            logits = logits + negation * self.of_negation
        is_known = ((vectors * vectors).sum(-1, keepdim=True) > 0).to(torch.float32)
        return torch.sigmoid(logits + self.biases) * is_known
