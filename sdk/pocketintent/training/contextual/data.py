"""The data of contextual encoders: texts as word ids, with n-grams for words without a vector."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import IndexArray, IntArray
from pocketintent.runtime.text.ngrams import NgramSettings
from pocketintent.runtime.text.tokenizer import simple_tokenize
from pocketintent.training.contextual.settings import ContextualSettings
from pocketintent.training.corpora.encoded import cut, ragged_ranges
from pocketintent.training.corpora.word_counts import CountedVocabulary
from pocketintent.training.teachers.targets import TargetTexts, TextData
from pocketintent.training.vectors.table import TermVectors


@dataclass(frozen=True, eq=False)
class ContextualData(TextData):
    """The texts, with the n-grams of all words; ids from ``len(words)`` on have no vector."""

    buckets: IndexArray = field(kw_only=True)
    """N-gram buckets of words; those of word ``i`` are ``buckets[offsets[i]:offsets[i + 1]]``."""
    offsets: IntArray = field(kw_only=True)


def prepare_texts(
    targets: TermVectors,
    settings: ContextualSettings,
    words: CountedVocabulary | None = None,
    ngrams: NgramSettings | None = None,
) -> ContextualData:
    """Tokenise the texts, count their words, hash n-grams, and reduce the vectors to ``dim``.

    ``words`` have a vector, and ``ngrams`` says how words are hashed; None for those of the
    settings. For errors see :meth:`TextData.prepare`.
    """
    data = TextData.prepare(
        targets,
        lambda text: simple_tokenize(text)[: settings.max_length],
        settings,
        settings.dim,
        words=words,
        keep_strangers=True,
    )
    ngrams = ngrams or ngram_settings(settings)
    buckets, counts = ngrams.buckets_of_words([*data.words.words, *data.strangers])
    return ContextualData(**vars(data), buckets=buckets, offsets=np.append(0, counts.cumsum()))


def ngram_settings(settings: ContextualSettings) -> NgramSettings:
    """How words without a vector are hashed."""
    return NgramSettings(settings.min_n, settings.max_n, settings.num_buckets)


@dataclass(frozen=True, eq=False)
class TextBatch:
    """Texts, one after the other, some of whose words are read by their n-grams."""

    words: IntArray  # distinct words that are read by their vectors, int64 [num_words]
    word_places: IntArray  # of each token in ``words``; 0 where it is read by n-grams
    spelt: IntArray  # places of the tokens that are read by n-grams, [num_spelt]
    spelt_words: IntArray  # the word of each such token, as its index among the bags
    buckets: IntArray  # distinct n-gram buckets, int64 [num_buckets]
    bucket_places: IntArray  # the bags' n-grams as indices in ``buckets``, bag after bag
    bags: IntArray  # where the bag of each distinct spelt word starts in ``bucket_places``
    texts: TargetTexts  # with their targets


class TextBatches:
    """Batches of texts of any length, each a function of seed, epoch and number alone."""

    def __init__(self, data: ContextualData, settings: ContextualSettings) -> None:
        self._data, self._settings = data, settings
        self.words_per_epoch = len(data.training.ids)
        # But for the limit of texts in a batch.
        self.batches_per_epoch = max(1, -(-self.words_per_epoch // settings.batch_words))

    def start_epoch(self, epoch: int) -> int:
        """Shuffle the texts for an epoch; returns the number of batches."""
        rng = np.random.default_rng([self._settings.seed, epoch])
        order = rng.permutation(len(self._data.training))
        self._batches = cut(order, self._data.training.lengths[order], self._settings.batch_words)
        self._epoch = epoch
        return len(self._batches)

    def batch(self, number: int) -> TextBatch:
        """One batch of the current epoch; a random share of its words is read by n-grams."""
        texts = self._data.training.take(self._batches[number])
        rng = np.random.default_rng([self._settings.seed, self._epoch, number])
        return make_batch(self._data, texts, rng.random(len(texts.ids)) < self._settings.unknown)


def make_batch(data: ContextualData, texts: TargetTexts, spelt: NDArray[np.bool_]) -> TextBatch:
    """Collect the rows that texts need; ``spelt``, bool [num_tokens], reads tokens by n-grams."""
    spelt = spelt | (texts.ids >= len(data.words))
    words, inverse = np.unique(texts.ids[~spelt], return_inverse=True)
    places = np.zeros(len(texts.ids), np.int64)
    places[~spelt] = inverse
    distinct, spelt_words = np.unique(texts.ids[spelt], return_inverse=True)
    starts, counts = data.offsets[distinct], np.diff(data.offsets)[distinct]
    buckets, bucket_places = np.unique(
        data.buckets[ragged_ranges(starts, counts)], return_inverse=True
    )
    return TextBatch(
        words,
        places,
        np.flatnonzero(spelt),
        spelt_words,
        buckets.astype(np.int64),
        bucket_places,
        np.cumsum(counts) - counts,
        texts,
    )
