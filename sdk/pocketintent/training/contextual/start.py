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
        model = ContextModel(settings.dim, [(settings.hidden, settings.width)] * settings.blocks)
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

    Raises:
        PocketIntentError: The model has no n-grams or no counts, its dimensions are not those of
            the settings, or see :meth:`ContextualData.prepare`.
    """
    ngrams = encoder.table.ngram_settings
    if ngrams is None or encoder.counts is None:
        raise PocketIntentError(
            "the model to start from must have n-grams and counts of its words, as `train "
            "contextual` and `compress` write them"
        )
    if encoder.dim != settings.dim:
        raise PocketIntentError(
            f"the model to start from has {encoder.dim} dimensions, and --dim is {settings.dim}"
        )
    words = CountedVocabulary(encoder.vocabulary.words, encoder.counts.astype(np.int64))
    data = ContextualData.prepare(vectors, settings, words, ngrams)
    return Start(data, encoder, ContextModel.from_network(encoder.network))
