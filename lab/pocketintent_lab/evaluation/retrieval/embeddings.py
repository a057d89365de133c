"""Retrieval by embeddings, as they are and moved by FCRR or ConvRR."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray
from pocketintent.training.loop.devices import Precision
from pocketintent.training.loop.trainer import Trainer
from pocketintent_lab.evaluation.retrieval.data import Part, RetrievalData
from pocketintent_lab.evaluation.retrieval.recall import recall
from pocketintent_lab.training.convrr.data import GroupedTexts, group_texts
from pocketintent_lab.training.convrr.objective import ConvrrTraining
from pocketintent_lab.training.convrr.settings import ConvrrSettings
from pocketintent_lab.training.multires.encoder import MultiResolutionEncoder
from pocketintent_lab.training.multires.sources import Source, open_source


class KeptSource:
    """A source that reads each text once and keeps its layers in half precision.

    Args:
        source: The source.
    """

    def __init__(self, source: Source) -> None:
        self.num_layers, self.dim = source.num_layers, source.dim
        self._source = source
        self._layers: dict[tuple[str, ...], NDArray[np.float16]] = {}

    def read(self, token_lists: Sequence[Sequence[str]]) -> Iterator[FloatArray]:
        """See :meth:`Source.read`."""
        keys = [tuple(tokens) for tokens in token_lists]
        missing = [key for key in dict.fromkeys(keys) if key not in self._layers]
        for key, layers in zip(missing, self._source.read(missing), strict=True):
            self._layers[key] = layers.astype(np.float16)
        for key in keys:
            yield self._layers[key].astype(np.float32)


class Sources:
    """Sources by name, each opened once; those with several layers keep what they have read.

    Args:
        device: Torch device of transformers.
    """

    def __init__(self, device: str = "cpu") -> None:
        self._device = device
        self._sources: dict[str, Source] = {}

    def __call__(self, name: str) -> Source:
        """The source of a name; see :func:`open_source`."""
        if name not in self._sources:
            source = open_source(name, device=self._device)
            self._sources[name] = KeptSource(source) if source.num_layers > 1 else source
        return self._sources[name]


@dataclass(frozen=True, eq=False)
class EmbeddedPart:
    """The texts of a part: its documents, then its questions."""

    data: RetrievalData
    texts: GroupedTexts

    def scores(self, vectors: FloatArray) -> FloatArray:
        """Cosines of questions and documents, float32 [num_questions, num_documents].

        Args:
            vectors: Unit vectors of the texts.
        """
        num = len(self.data.documents)
        scores: FloatArray = vectors[num:] @ vectors[:num].T
        return scores


def embed_part(data: RetrievalData, encoder: MultiResolutionEncoder) -> EmbeddedPart:
    """Embed the words of a part; a question and its documents are a group."""
    texts = [document.text for document in data.documents]
    texts += [question.text for question in data.questions]
    groups = [*range(len(data.documents)), *(question.relevant[0] for question in data.questions)]
    is_query = np.arange(len(texts)) >= len(data.documents)
    grouped = group_texts(
        encoder.embed_texts(texts),
        groups,
        is_query=is_query.tolist(),
        is_answer=(~is_query).tolist(),
    )
    return EmbeddedPart(data, grouped)


def train_network(
    texts: GroupedTexts,
    settings: ConvrrSettings,
    *,
    device: str = "cpu",
    precision: Precision = "auto",
) -> ConvrrTraining:
    """Train a network on the texts of a part, without a progress bar.

    Raises:
        PocketIntentError: The texts have no triplets.
    """
    task = ConvrrTraining(texts, settings, device=device, precision=precision)
    with tempfile.TemporaryDirectory() as folder:
        Trainer(task, Path(folder), checkpoint_seconds=float("inf"), show_bar=False).train()
    return task


@dataclass(frozen=True)
class Networks:
    """What is done with each embedding, and how."""

    names: Sequence[str]
    """``none`` for the embedding as it is, ``fcrr`` and ``convrr``."""
    settings: ConvrrSettings
    """Settings of the networks, whatever their ``network``."""
    device: str = "cpu"
    """Torch device of the training."""
    precision: Precision = "auto"
    """Precision of the training."""

    def move(self, name: str, train: GroupedTexts, texts: GroupedTexts) -> FloatArray:
        """The vectors of texts, float32 [num_texts, dim], by a network that learns from others."""
        if name == "none":
            return texts.bases
        settings = replace(self.settings, network=name)  # type: ignore[arg-type]
        task = train_network(train, settings, device=self.device, precision=self.precision)
        return task.encode(texts)


@dataclass(frozen=True, eq=False)
class Measured:
    """What one network makes of an embedding."""

    row: dict[str, Any]
    """``{"network", "dim", "recall@1", "recall@3", "recall@5"}``."""
    questions: FloatArray
    """The vectors of the questions, float32 [num_questions, dim]."""


def measure_embedding(
    encoder: MultiResolutionEncoder,
    parts: Mapping[Part, RetrievalData],
    part: Part,
    networks: Networks,
) -> Iterator[Measured]:
    """Yield the recall of an embedding on a part, by each network.

    Args:
        encoder: The embedding.
        parts: The parts of the data; networks are trained on ``train``.
        part: The part to measure on.
        networks: The networks.

    Raises:
        PocketIntentError: The questions of ``train`` have no triplets.
    """
    train = embed_part(parts["train"], encoder)
    measured = embed_part(parts[part], encoder)
    for name in networks.names:
        vectors = networks.move(name, train.texts, measured.texts)
        figures = recall(measured.scores(vectors), measured.data.questions)
        row = {"network": name, "dim": encoder.dim, **figures}
        yield Measured(row, vectors[len(measured.data.documents) :])
