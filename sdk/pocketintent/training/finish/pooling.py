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
from pocketintent.training.finish.settings import FinishSettings

_AT_ONCE = 1024

Counts = NDArray[np.integer]
"""Occurrences of each word, [num_words]."""


class Sentences:
    """The sentences of a corpus, read again each time they are needed.

    Args:
        encoder: The encoder whose tokenizer splits them and whose words are known.
        texts: The corpus, which can be iterated several times; a tab separates the sentences of a
            text.
    """

    def __init__(self, encoder: StaticEncoder, texts: Iterable[str]) -> None:
        self._encoder, self._texts = encoder, texts

    def blocks(self) -> Iterator[tuple[IndexArray, IndexArray]]:
        """Blocks of sentences.

        Yields:
            The ids of the known words, sentence after sentence, intp [num_ids], and their number
            in each sentence, intp [num_sentences]; 0 for a sentence without a known word.
        """
        sentences = (part for text in self._texts for part in text.split("\t"))
        while block := list(islice(sentences, _AT_ONCE)):
            tokens = [self._encoder.tokenize(sentence) for sentence in block]
            yield self._encoder.vocabulary.ids_of_lists(tokens)

    def count(self) -> tuple[NDArray[np.int64], int]:
        """The number of sentences of each word, [num_words], and of all with a known word."""
        frequencies = np.zeros(len(self._encoder.words), np.int64)
        total = 0
        for ids, lengths in self.blocks():
            pairs = np.repeat(np.arange(len(lengths)), lengths) * len(frequencies) + ids
            words = np.unique(pairs) % len(frequencies)
            frequencies += np.bincount(words, minlength=len(frequencies))
            total += int(np.count_nonzero(lengths))
        return frequencies, total


def count_words(encoder: StaticEncoder, texts: Iterable[str]) -> NDArray[np.uint32]:
    """Count the words of an encoder in a corpus.

    Args:
        encoder: The encoder; texts are split by its tokenizer.
        texts: The corpus, streamed once.

    Returns:
        Occurrences of each word, uint32 [num_words]; 0 for a word that does not occur.

    Raises:
        PocketIntentError: No word of the encoder occurs.
    """
    counts: Counter[int] = Counter()
    for text in texts:
        counts.update(encoder.vocabulary.ids(encoder.tokenize(text)))
    if not counts:
        raise PocketIntentError(
            "no word of the model occurs in the corpus; give texts in the model's language"
        )
    result = np.zeros(len(encoder.words), np.uint32)
    result[list(counts)] = list(counts.values())
    return result


class Rows(NamedTuple):
    """The vectors of a model."""

    words: FloatArray
    """float32 [num_words, dim]."""
    ngrams: FloatArray | None
    """float32 [num_buckets, dim]; the mean of an unknown word's rows is its vector."""

    def map(self, change: Callable[[FloatArray], NDArray[np.floating]]) -> Rows:
        """The rows that a function makes of the words, and of the n-grams if there are any."""
        words, ngrams = self
        return Rows(
            change(words).astype(np.float32),
            None if ngrams is None else change(ngrams).astype(np.float32),
        )


class Weights(NamedTuple):
    """How much words count in a sentence."""

    words: NDArray[np.float64]
    """[num_words]."""
    unknown: float
    """The weight of a word that never occurs, and so of an unknown word."""


class Pooling(NamedTuple):
    """A way to make a sentence vector of word vectors."""

    weigh: Callable[[Counts, Sentences | None, float], Weights]
    """The weights of words, from their counts, the sentences and ``frequency_weight``."""
    centred: bool = False
    """Whether the mean vector of the corpus is subtracted from the words first."""
    removes_direction: bool = False
    """Whether the first principal component of the sentence vectors is removed."""
    reads_sentences: bool = False
    """Whether the sentences of a corpus are required."""


def pool_rows(
    rows: Rows, counts: Counts, sentences: Sentences | None, settings: FinishSettings
) -> Rows:
    """Apply a pooling to the vectors of words and n-grams.

    Args:
        rows: The vectors; the arrays may be changed.
        counts: Occurrences of each word, [num_words].
        sentences: The corpus; None if there is none.
        settings: ``pooling`` and ``frequency_weight``.

    Returns:
        Vectors whose sums are sentence vectors.

    Raises:
        PocketIntentError: The pooling requires sentences, or more dimensions than one.
    """
    pooling = POOLINGS[settings.pooling]
    if pooling.reads_sentences and sentences is None:
        raise PocketIntentError(
            f"the pooling {settings.pooling!r} is computed from sentences; give a corpus (--corpus)"
        )
    if pooling.removes_direction and rows.words.shape[1] < 2:
        raise PocketIntentError(
            f"the pooling {settings.pooling!r} removes one dimension, and the model has no other"
        )
    weights = pooling.weigh(counts, sentences, settings.frequency_weight)
    if pooling.centred:
        rows = _centre(rows, counts, weights)
    rows = _weight(rows, weights)
    if pooling.removes_direction:
        assert sentences is not None
        direction = common_direction(rows.words, sentences)
        rows = rows.map(lambda vectors: vectors - np.outer(vectors @ direction, direction))
    return rows


def common_direction(words: FloatArray, sentences: Sentences) -> NDArray[np.float64]:
    """The first principal component of the sentences' vectors, which are means of their words.

    As in the program of Arora et al. (2017), the vectors are not centred: it is the direction in
    which the sum of their squared parts is largest.

    Args:
        words: The weighted vectors of the words, float32 [num_words, dim].
        sentences: The corpus.

    Returns:
        A unit vector, [dim].
    """
    table = DenseMatrix(words)
    moment = np.zeros((table.dim, table.dim))
    for ids, lengths in sentences.blocks():
        means = table.weighted_sums(ids, lengths) / np.maximum(lengths, 1)[:, None]
        moment += means.T @ means
    direction: NDArray[np.float64] = np.linalg.eigh(moment)[1][:, -1]
    return direction


def _equal(counts: Counts, sentences: Sentences | None, frequency_weight: float) -> Weights:
    return Weights(np.ones(len(counts)), 1.0)


def _by_share(counts: Counts, sentences: Sentences | None, frequency_weight: float) -> Weights:
    """Weights a / (a + share of the text), where a is ``frequency_weight``."""
    share = counts / counts.sum()
    weight = np.ones(len(share))
    if frequency_weight:
        weight = frequency_weight / (frequency_weight + share)
    return Weights(weight, 1.0)


def _by_sentences(counts: Counts, sentences: Sentences | None, frequency_weight: float) -> Weights:
    """Weights ln((1 + sentences) / sentences of the word), which are above 0."""
    assert sentences is not None
    frequencies, total = sentences.count()
    return Weights(np.log((1 + total) / np.maximum(frequencies, 1)), float(np.log(1 + total)))


def _centre(rows: Rows, counts: Counts, weights: Weights) -> Rows:
    words, ngrams = rows
    mass = counts / counts.sum() * weights.words**2
    mean = (mass @ words) / mass.sum()
    words -= mean
    return Rows(words, None if ngrams is None else (ngrams - mean).astype(np.float32))


def _weight(rows: Rows, weights: Weights) -> Rows:
    words = (rows.words * weights.words[:, None]).astype(np.float32)
    return Rows(words, None if rows.ngrams is None else rows.ngrams * np.float32(weights.unknown))


POOLINGS = {
    "centred": Pooling(_by_share, centred=True),
    "mean": Pooling(_equal),
    "idf": Pooling(_by_sentences, reads_sentences=True),
    "sif": Pooling(_by_share, removes_direction=True, reads_sentences=True),
}
"""The values of :attr:`FinishSettings.pooling`."""
