"""The data of contextual encoders: texts as word ids, with n-grams for words without a vector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import IndexArray, IntArray
from pocketintent.runtime.text.ngrams import NgramSettings
from pocketintent.runtime.text.tokenizer import simple_tokenize
from pocketintent.training.contextual.settings import ContextualSettings
from pocketintent.training.corpora.encoded import ragged_ranges
from pocketintent.training.corpora.word_counts import CountedVocabulary
from pocketintent.training.teachers.paraphrases import read_paraphrases
from pocketintent.training.teachers.targets import TextData
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
    paraphrases: Sequence[str | Path] = (),
) -> ContextualData:
    """Tokenise the texts, count their words, hash n-grams, and reduce the vectors to ``dim``.

    ``words`` have a vector, and ``ngrams`` says how words are hashed; None for those of the
    settings. For errors see :meth:`TextData.prepare` and :func:`read_paraphrases`.
    """

    def tokenize(text: str) -> list[str]:
        return simple_tokenize(text)[: settings.max_length]

    data = TextData.prepare(
        targets,
        tokenize,
        settings,
        settings.dim,
        words=words,
        keep_strangers=True,
    )
    every = enumerate([*data.words.words, *data.strangers])
    numbers = {word: number for number, word in every}
    groups = read_paraphrases(
        paraphrases,
        lambda text: [numbers.setdefault(token, len(numbers)) for token in tokenize(text)],
    )
    buckets, counts = (ngrams or ngram_settings(settings)).buckets_of_words(list(numbers))
    fields = vars(data) | {"strangers": list(numbers)[len(data.words) :], "paraphrases": groups}
    return ContextualData(**fields, buckets=buckets, offsets=np.append(0, counts.cumsum()))


def ngram_settings(settings: ContextualSettings) -> NgramSettings:
    """How words without a vector are hashed."""
    return NgramSettings(settings.min_n, settings.max_n, settings.num_buckets)


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of words and of n-grams that the tokens of a batch need."""

    words: IntArray  # distinct words that are read by their vectors, int64 [num_words]
    word_places: IntArray  # of each token in ``words``; 0 where it is read by n-grams
    spelt: IntArray  # places of the tokens that are read by n-grams, [num_spelt]
    spelt_words: IntArray  # the word of each such token, as its index among the bags
    buckets: IntArray  # distinct n-gram buckets, int64 [num_buckets]
    bucket_places: IntArray  # the bags' n-grams as indices in ``buckets``, bag after bag
    bags: IntArray  # where the bag of each distinct spelt word starts in ``bucket_places``


def rows_of(data: ContextualData, ids: IntArray, spelt: NDArray[np.bool_]) -> Rows:
    """Collect the rows that tokens need; ``spelt``, bool [num_tokens], reads some by n-grams."""
    spelt = spelt | (ids >= len(data.words))
    words, inverse = np.unique(ids[~spelt], return_inverse=True)
    places = np.zeros(len(ids), np.int64)
    places[~spelt] = inverse
    distinct, spelt_words = np.unique(ids[spelt], return_inverse=True)
    starts, counts = data.offsets[distinct], np.diff(data.offsets)[distinct]
    buckets, bucket_places = np.unique(
        data.buckets[ragged_ranges(starts, counts)], return_inverse=True
    )
    return Rows(
        words,
        places,
        np.flatnonzero(spelt),
        spelt_words,
        buckets.astype(np.int64),
        bucket_places,
        np.cumsum(counts) - counts,
    )
