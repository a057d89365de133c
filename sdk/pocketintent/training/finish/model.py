"""The vectors of finished words: their lengths, principal components, and n-grams.

Training by context has two weaknesses in a sum of word vectors: frequent words weigh too much,
and words that merely look alike ("transfer", "transferred", "transfers") are no nearer than chance
if one of them is rare. Poolings correct the first. A second group of dimensions corrects the
second: there a word is a random projection of its character n-grams, so that unknown words have a
vector too.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.text.ngrams import NgramSettings
from pocketintent.training.finish.settings import FinishSettings

_MIN_IDF = 0.1  # an n-gram of every word still contributes
_RARE_SHARE = 0.25  # share of the vocabulary, its rarest words, that unknown words resemble


def scale_norms(vectors: FloatArray, norm_power: float) -> FloatArray:
    """Raise the norms of vectors to a power, float32 [num_words, dim]."""
    norms = np.linalg.norm(vectors, axis=1).clip(1e-8)
    scaled: FloatArray = vectors * (norms ** (norm_power - 1))[:, None]
    return scaled


def main_directions(
    vectors: FloatArray, counts: NDArray[np.integer], dim: int
) -> NDArray[np.floating]:
    """The principal components of vectors; words count by the root of their frequency.

    Args:
        vectors: float32 [num_words, full_dim].
        counts: Occurrences of each word, [num_words].
        dim: Number of components, at most ``full_dim``.

    Returns:
        Directions in columns, [full_dim, dim].
    """
    mass = np.sqrt(counts / counts.sum())
    directions: NDArray[np.floating] = np.linalg.eigh((vectors * mass[:, None]).T @ vectors)[1]
    return directions[:, -dim:]


def add_subwords(
    words: list[str], vectors: FloatArray, ngram_settings: NgramSettings, settings: FinishSettings
) -> tuple[FloatArray, FloatArray]:
    """Append the n-gram part to the words' vectors.

    Args:
        words: The words, the most frequent first.
        vectors: Their vectors, float32 [num_words, dim].
        ngram_settings: How words are hashed.
        settings: ``subword_dim``, ``subword_scale`` and ``seed``.

    Returns:
        The words' vectors, float32 [num_words, dim + subword_dim], and those of the n-grams,
        float32 [num_buckets, dim + subword_dim].
    """
    num_buckets = ngram_settings.num_buckets
    lists = [np.array(ngram_settings.buckets(word)) for word in words]
    document_frequency = np.zeros(num_buckets)
    for buckets in lists:
        document_frequency[np.unique(buckets)] += 1
    idf = np.log(len(words) / (1 + document_frequency)).clip(_MIN_IDF)
    rng = np.random.default_rng(settings.seed)
    table = rng.standard_normal((num_buckets, settings.subword_dim), np.float32)
    table *= (idf / np.sqrt(settings.subword_dim))[:, None].astype(np.float32)
    means = np.stack([table[buckets].mean(axis=0) for buckets in lists])
    lengths = np.linalg.norm(means, axis=1, keepdims=True).clip(1e-8)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    subwords = means / lengths * norms * settings.subword_scale
    # An unknown word gets the length of the n-gram part of rare words.
    rare = slice(int(len(words) * (1 - _RARE_SHARE)), None)
    table *= settings.subword_scale * float(norms[rare].mean() / lengths[rare].mean())
    untrained = np.zeros((num_buckets, vectors.shape[1]), np.float32)
    return np.hstack([vectors, subwords]), np.hstack([untrained, table])
