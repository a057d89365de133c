"""Poolings: the weights of words in a sentence, and what all sentences share.

A pooling is a weighted sum of words, less its part along a direction. Both are linear, so that
they can be applied to the vectors of the words themselves: the finished model is a plain sum, and
whatever reads, compresses or exports a static model obeys the pooling without knowing it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray, IndexArray
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.quantization.matrices import DenseMatrix
from pocketintent.training.corpora.tokenizers import corpus_tokenizer
from pocketintent.training.finish.settings import FinishSettings

_AT_ONCE = 1024


class Sentences:
    """The sentences of a corpus, separated by tabs, and read again each time they are needed."""

    def __init__(self, encoder: StaticEncoder, texts: Iterable[str]) -> None:
        self._vocabulary, self._texts = encoder.vocabulary, texts
        self._tokenize = corpus_tokenizer(encoder.tokenizer_spec)

    def blocks(self) -> Iterator[tuple[IndexArray, IndexArray]]:
        """Blocks of sentences: the ids of their known words, intp [num_ids], and their lengths."""
        sentences = (part for text in self._texts for part in text.split("\t"))
        while block := list(islice(sentences, _AT_ONCE)):
            yield self._vocabulary.ids_of_lists([self._tokenize(sentence) for sentence in block])

    def count_sentences(self) -> tuple[NDArray[np.int64], int]:
        """The number of sentences of each word, [num_words], and of all with a known word."""
        frequencies = np.zeros(len(self._vocabulary), np.int64)
        total = 0
        for ids, lengths in self.blocks():
            pairs = np.repeat(np.arange(len(lengths)), lengths) * len(frequencies) + ids
            words = np.unique(pairs) % len(frequencies)
            frequencies += np.bincount(words, minlength=len(frequencies))
            total += int(np.count_nonzero(lengths))
        return frequencies, total

    def count_words(self) -> NDArray[np.uint32]:
        """Occurrences of each word, [num_words]; PocketIntentError if none occurs."""
        counts: Counter[int] = Counter()
        for text in self._texts:
            counts.update(self._vocabulary.ids(self._tokenize(text)))
        if not counts:
            raise PocketIntentError(
                "no word of the model occurs in the corpus; give texts in the model's language"
            )
        result = np.zeros(len(self._vocabulary), np.uint32)
        result[list(counts)] = list(counts.values())
        return result


class Rows(NamedTuple):
    """The vectors of a model, float32 [num_words, dim], and of any n-grams, [num_buckets, dim]."""

    words: FloatArray
    ngrams: FloatArray | None

    def map(self, change: Callable[[FloatArray], NDArray[np.floating]]) -> Rows:
        """The rows that a function makes of the words, and of the n-grams if there are any."""
        words, ngrams = self
        changed = None if ngrams is None else change(ngrams).astype(np.float32)
        return Rows(change(words).astype(np.float32), changed)


def pool_rows(
    rows: Rows, counts: NDArray[np.integer], sentences: Sentences | None, settings: FinishSettings
) -> Rows:
    """Apply a pooling to vectors, which may be changed, so that their sums are sentence vectors.

    It is a PocketIntentError if the pooling requires sentences, or more dimensions than one.
    """
    pooling = settings.pooling
    if pooling in ("idf", "sif") and sentences is None:
        raise PocketIntentError(
            f"the pooling {pooling!r} is computed from sentences; give a corpus (--corpus)"
        )
    if pooling == "sif" and rows.words.shape[1] < 2:
        raise PocketIntentError(
            f"the pooling {pooling!r} removes one dimension, and the model has no other"
        )
    share = counts / counts.sum()
    weights: NDArray[np.float64] = np.ones(len(share))
    unknown = 1.0  # the weight of a word that never occurs
    if pooling == "idf" and sentences is not None:
        frequencies, total = sentences.count_sentences()
        weights = np.log((1 + total) / np.maximum(frequencies, 1))  # above 0
        unknown = float(np.log(1 + total))
    elif pooling != "mean" and settings.frequency_weight:
        weights = settings.frequency_weight / (settings.frequency_weight + share)
    words, ngrams = rows
    if pooling == "centred":
        mass = share * weights**2
        mean = (mass @ words) / mass.sum()
        words -= mean
        ngrams = None if ngrams is None else (ngrams - mean).astype(np.float32)
    words = (words * weights[:, None]).astype(np.float32)
    rows = Rows(words, None if ngrams is None else ngrams * np.float32(unknown))
    if pooling == "sif" and sentences is not None:
        direction = common_direction(words, sentences)
        rows = rows.map(lambda vectors: vectors - np.outer(vectors @ direction, direction))
    return rows


def common_direction(words: FloatArray, sentences: Sentences) -> NDArray[np.float64]:
    """The first principal component, a unit vector [dim], of the means of sentences' words.

    As in the program of Arora et al. (2017), the means are not centred.
    """
    table = DenseMatrix(words)
    moment = np.zeros((table.dim, table.dim))
    for ids, lengths in sentences.blocks():
        means = table.weighted_sums(ids, lengths) / np.maximum(lengths, 1)[:, None]
        moment += means.T @ means
    direction: NDArray[np.float64] = np.linalg.eigh(moment)[1][:, -1]
    return direction
