"""Where a run starts: from the targets alone, or from a model, which may be compressed."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import torch

from pocketintent.runtime.encoders.contextual.encoder import ContextualEncoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.quantization.matrices import DenseMatrix
from pocketintent.runtime.text.vocabulary import Vocabulary
from pocketintent.training.contextual.data import ContextualData, ngram_settings
from pocketintent.training.contextual.model import ContextModel
from pocketintent.training.contextual.rows import RowTable, make_rows
from pocketintent.training.contextual.settings import ContextualSettings
from pocketintent.training.corpora.word_counts import CountedVocabulary
from pocketintent.training.teachers.texts import initial_word_vectors
from pocketintent.training.vectors.table import TermVectors

_NGRAM_SCALE = 0.02
"""Size of the numbers of n-gram vectors that have learnt nothing yet."""


@dataclass(frozen=True, eq=False)
class Start:
    """The data and the weights with which a run begins."""

    data: ContextualData
    """The texts with their targets."""
    encoder: ContextualEncoder
    """The encoder before the first step."""
    model: ContextModel
    """Its network."""

    def rows(self, table: str, device: torch.device) -> RowTable:
        """The rows of a table of the encoder, ``words`` or ``ngrams``."""
        return make_rows(self.encoder.tables()[table], device)


def from_settings(vectors: TermVectors, settings: ContextualSettings) -> Start:
    """A sum of words that start at their own targets; see :func:`initial_word_vectors`.

    Raises:
        PocketIntentError: See :meth:`ContextualData.prepare`.
    """
    data = ContextualData.prepare(vectors, settings)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.seed)
        model = ContextModel(settings.dim, settings.hidden, settings.width)
    size = (settings.num_buckets, settings.dim)
    ngrams = _NGRAM_SCALE * np.random.default_rng(settings.seed).standard_normal(size)
    words = initial_word_vectors(data.training, data.words.counts, settings.frequency_weight)
    table = StaticEncoder(
        Vocabulary(data.words.words),
        DenseMatrix(words),
        ngrams=DenseMatrix(ngrams.astype(np.float32)),
        ngram_settings=ngram_settings(settings),
        counts=data.words.counts.astype(np.uint32),
    )
    network = replace(model.to_network(), word_share=settings.word_share)
    return Start(data, ContextualEncoder(table, network), model)


def from_encoder(
    vectors: TermVectors, settings: ContextualSettings, encoder: ContextualEncoder
) -> Start:
    """A model, with its words, its n-grams and its network.

    Args:
        vectors: The texts with their vectors.
        settings: Settings as :func:`settings_of` returns them for the model.
        encoder: The model.

    Raises:
        PocketIntentError: See :meth:`ContextualData.prepare`.
    """
    assert encoder.table.counts is not None
    words = CountedVocabulary(encoder.vocabulary.words, encoder.table.counts.astype(np.int64))
    data = ContextualData.prepare(vectors, settings, words, encoder.table.ngram_settings)
    return Start(data, encoder, ContextModel.from_network(encoder.network))


def settings_of(encoder: ContextualEncoder, settings: ContextualSettings) -> ContextualSettings:
    """The settings of a run that goes on from a model: its sizes are those of the model.

    Raises:
        PocketIntentError: The model has no n-grams, or no counts of its words.
    """
    ngrams, network = encoder.table.ngram_settings, encoder.network
    if ngrams is None or encoder.table.counts is None:
        raise PocketIntentError(
            "the model to start from must have n-grams and counts of its words, as `train "
            "contextual` and `compress` write them"
        )
    return replace(
        settings,
        dim=encoder.dim,
        hidden=network.hidden,
        width=network.width,
        word_share=network.word_share,
        num_buckets=ngrams.num_buckets,
        min_n=ngrams.min_n,
        max_n=ngrams.max_n,
    )
