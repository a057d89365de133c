"""The graph ``recognizer`` as a torch module: from the inputs of a text to scores of intents.

A new decision is a class and a case of :func:`decision_module`. Its module is called as
``module(vectors, nearest, centroids, *features)``: the unit sentence vectors, float32 [batch, dim],
or zeros where nothing is known; their similarities to the nearest template and to the centroid of
each intent, float32 [num_intents, batch]; and the scorer's features of the text, each float32
[batch, size]. It returns the scores, float32 [batch, num_intents], which are all 0 for a vector of
zeros, and only then.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from pocketintent.runtime.decision.logistic.scorer import LogisticScorer
from pocketintent.runtime.decision.nearest import NearestScorer
from pocketintent.runtime.decision.scoring import Scorer
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.index.indexed_templates import IndexedTemplates
from pocketintent_export.formats import Scoring
from pocketintent_export.layers.similarities import BestTemplates, Scores


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

    def __init__(self, scorer: LogisticScorer) -> None:
        super().__init__()
        of_vector, of_counts, biases, squares = map(torch.from_numpy, scorer.classifier.parts)
        self.of_vector = nn.Buffer(of_vector.t().contiguous())
        self.of_counts = nn.Buffer(of_counts.t().contiguous())
        self.biases = nn.Buffer(biases)
        self.squares = nn.Buffer(squares[:, None])
        self.of_negation = nn.Buffer(torch.from_numpy(scorer.classifier.of_negation))

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


def decision_module(scorer: Scorer) -> nn.Module:
    """The module of a scorer; a PocketIntentError if its kind cannot be exported."""
    if isinstance(scorer, NearestScorer):
        return NearestModule(scorer)
    if isinstance(scorer, LogisticScorer):
        return LogisticModule(scorer)
    raise PocketIntentError(f"a {type(scorer).__name__} cannot be exported")


class RecognizerModule(nn.Module):
    """From the inputs of a text to a score and the nearest template of each intent.

    The templates must be codes. For ``scoring`` and ``keep_codes`` see :class:`Scores`.
    """

    def __init__(
        self,
        encoder: nn.Module,
        indexed: IndexedTemplates,
        scorer: Scorer,
        scoring: Scoring,
        keep_codes: bool,
    ) -> None:
        super().__init__()
        assert indexed.codes is not None
        self.encoder = encoder
        self.similarities = Scores(indexed, scoring, keep_codes)
        self.num_templates = int(indexed.bounds[-1])
        self.best = BestTemplates(indexed.bounds, indexed.codes[:, : self.num_templates])
        self.decision = decision_module(scorer)
        self.num_features = len(scorer.text_features)

    def forward(self, *inputs: Tensor) -> tuple[Tensor, Tensor]:
        """Scores, float32, and numbers of nearest templates, int32; both [batch, num_intents].

        The inputs are those of the encoder's module, then the scorer's features of the text.
        """
        num_text_inputs = len(inputs) - self.num_features
        vectors = self.encoder(*inputs[:num_text_inputs])
        similarities = self.similarities(vectors)
        nearest, templates = self.best(similarities[: self.num_templates])
        centroids = similarities[self.num_templates :]
        scores = self.decision(vectors, nearest, centroids, *inputs[num_text_inputs:])
        return scores, templates.t()
