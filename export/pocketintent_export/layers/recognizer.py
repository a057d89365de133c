"""The graph ``recognizer`` as a torch module: from the inputs of a text to scores of intents."""

from __future__ import annotations

from torch import Tensor, nn

from pocketintent.runtime.decision.scoring import Scorer
from pocketintent.runtime.index.indexed_templates import IndexedTemplates
from pocketintent_export.formats import Scoring
from pocketintent_export.layers.decisions import decision_module
from pocketintent_export.layers.similarities import BestTemplates, Scores


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
