"""The recogniser's own quantised search, over embeddings computed once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pocketintent.evaluation.intents.datasets import Draw, IntentData
from pocketintent.runtime.arrays import FloatArray, IndexArray
from pocketintent.runtime.decision.registry import Decision
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.recognizer import IntentRecognizer
from pocketintent.runtime.templates.template_set import IntentTemplates, TemplateSet


class EmbeddedTexts:
    """An encoder that looks up precomputed embeddings, with the model's template codebook.

    Args:
        encoder: The encoder that embedded the texts.
        texts: The texts [n].
        vectors: Their embeddings float32 [n, dim].
    """

    def __init__(self, encoder: Encoder, texts: Sequence[str], vectors: FloatArray) -> None:
        self.dim = encoder.dim
        self.template_quantizer = encoder.template_quantizer
        self._vectors: dict[str, FloatArray] = dict(zip(texts, vectors, strict=True))

    def encode(self, text: str) -> FloatArray:
        """Return the embedding of a known text, float32 [dim]."""
        return self._vectors[text]

    def encode_batch(self, texts: Sequence[str]) -> FloatArray:
        """Return the embeddings of known texts, float32 [num_texts, dim]."""
        return np.stack([self._vectors[text] for text in texts])


def search_table(
    encoder: Encoder, data: IntentData, draw: Draw, decisions: Sequence[Decision]
) -> dict[str, IndexArray]:
    """Label the queries with the recogniser over the templates of a draw.

    Args:
        encoder: An encoder of the texts of ``data``, such as :class:`EmbeddedTexts`.
        data: The data set.
        draw: The templates.
        decisions: The recogniser's decisions.

    Returns:
        The labels [num_queries] of each decision; label 0, as in the exact search, for a query
        without a known word.
    """
    intents = {name: IntentTemplates([]) for name in data.intents[: data.num_trained]}
    for index, label in zip(draw.indices, draw.labels, strict=True):
        intents[data.intents[label]].templates.append(data.train_texts[index])
    recognizer = IntentRecognizer(encoder, TemplateSet(intents), search="table")
    label_of = {name: label for label, name in enumerate(data.intents)}
    results: dict[str, IndexArray] = {}
    for decision in decisions:
        recognizer.decision = decision
        labels = np.zeros(len(data.query_texts), dtype=np.intp)
        for query, text in enumerate(data.query_texts):
            best = recognizer.rank(text, limit=1)
            if best:
                labels[query] = label_of[best[0].intent]
        results[str(decision)] = labels
    return results
