"""The recogniser's own quantised search, asked with embeddings that are computed once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pocketintent.evaluation.intents.datasets import Draw, IntentData
from pocketintent.runtime.decision.matching import Decision
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.recognizer import IntentRecognizer
from pocketintent.runtime.templates.template_set import IntentTemplates, TemplateSet


class EmbeddedTexts:
    """An encoder that only looks up texts embedded before; it brings the model's codebook.

    Args:
        encoder: The encoder that embedded them.
        texts: The texts [n].
        vectors: Their embeddings float32 [n, dim].
    """

    def __init__(
        self, encoder: Encoder, texts: Sequence[str], vectors: NDArray[np.float32]
    ) -> None:
        self.dim = encoder.dim
        self.template_quantizer = encoder.template_quantizer
        self._vectors: dict[str, NDArray[np.float32]] = dict(zip(texts, vectors, strict=True))

    def encode(self, text: str) -> NDArray[np.float32]:
        """The embedding of a known text, float32 [dim]."""
        return self._vectors[text]

    def encode_batch(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The embeddings of known texts, float32 [num_texts, dim]."""
        return np.stack([self._vectors[text] for text in texts])


def search_table(
    encoder: Encoder, data: IntentData, draw: Draw, decisions: Sequence[Decision]
) -> dict[str, NDArray[np.intp]]:
    """Label the queries with the recogniser over the templates of a draw.

    Args:
        encoder: Knows the texts of ``data``; see :class:`EmbeddedTexts`.
        data: The data set.
        draw: The templates.
        decisions: The recogniser's decisions.

    Returns:
        For each decision labels [num_queries]; label 0 for a query in which the encoder knows
        nothing, as the exact search has it.
    """
    intents = {name: IntentTemplates([]) for name in data.intents[: data.num_trained]}
    for index, label in zip(draw.indices, draw.labels, strict=True):
        intents[data.intents[label]].templates.append(data.train_texts[index])
    recognizer = IntentRecognizer(encoder, TemplateSet(intents), search="table")
    label_of = {name: label for label, name in enumerate(data.intents)}
    found: dict[str, NDArray[np.intp]] = {}
    for decision in decisions:
        recognizer.decision = decision
        labels = np.zeros(len(data.query_texts), dtype=np.intp)
        for query, text in enumerate(data.query_texts):
            best = recognizer.rank(text, limit=1)
            if best:
                labels[query] = label_of[best[0].intent]
        found[str(decision)] = labels
    return found
