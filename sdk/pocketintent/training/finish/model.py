"""What is done to trained word embeddings before they become a sentence encoder.

Training by context leaves two things to be desired of a sum of word vectors: frequent words
weigh too much, and words that merely look alike («transfer», «transferred», «transfers») are no
nearer than chance when one of them is rare. The first is mended by weights (Arora et al. 2017),
the second by a second group of dimensions, in which a word is a random projection of its
character n-grams; there, unknown words have a vector too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.quantization.matrices import DenseMatrix
from pocketintent.runtime.text.ngrams import NgramSettings, ngram_buckets
from pocketintent.training.finish.settings import FinishSettings

_LEAST_IDF = 0.1  # an n-gram of every word still tells its length
_RARE = 0.25  # share of the vocabulary, its rarest words, that unknown words are taken to be like


def count_words(encoder: StaticEncoder, texts: Iterable[str]) -> NDArray[np.uint32]:
    """Count the words of an encoder in a corpus.

    Args:
        encoder: Its words are counted, by its own tokenizer.
        texts: Streamed once.

    Returns:
        Occurrences of each word, uint32 ``[num_words]``; the words that do not occur have 0.

    Raises:
        PocketIntentError: No word of the encoder occurs.
    """
    counts: Counter[int] = Counter()
    for text in texts:
        counts.update(encoder.vocabulary.ids(encoder.tokenize(text)))
    if not counts:
        raise PocketIntentError("no word of the model occurs in the corpus; give texts of its kind")
    result = np.zeros(len(encoder.words), np.uint32)
    result[list(counts)] = list(counts.values())
    return result


def finish_encoder(
    encoder: StaticEncoder, counts: NDArray[np.integer], settings: FinishSettings
) -> StaticEncoder:
    """Weight the words of a trained encoder and add the n-gram part.

    A word's vector becomes ``[trained, subword_scale * |trained| * ngrams]``. ``trained`` is the
    trained vector less the corpus' mean vector (Arora et al. 2017 take off the first principal
    component), times the word's weight, cut to the principal components of the vocabulary.
    ``ngrams`` is the unit sum of the random vectors of the word's n-grams, each weighted by its
    inverse document frequency over the vocabulary.

    Args:
        encoder: A trained encoder without n-grams; it stays as it is.
        counts: Occurrences of each word in the corpus, [num_words].
        settings: Weights and sizes.

    Returns:
        An encoder of dimension ``trained_dim + subword_dim``, with n-grams for unknown words.

    Raises:
        PocketIntentError: A setting makes no sense, or the encoder has n-grams already.
    """
    settings.check()
    if encoder.ngrams is not None:
        raise PocketIntentError("the model has n-grams already; finish one trained without them")
    vectors = _weight_words(encoder.words.decode(), counts, settings)
    if 0 < settings.trained_dim < encoder.dim:
        vectors = _reduce(vectors, counts, settings.trained_dim)
    manifest = {**encoder.manifest, "finish": asdict(settings)}
    manifest.pop("quality", None)
    if not settings.subword_dim:
        return StaticEncoder(
            encoder.vocabulary,
            DenseMatrix(vectors),
            tokenizer_spec=encoder.tokenizer_spec,
            manifest=manifest,
        )
    words, ngrams = _add_subwords(encoder.vocabulary.words, vectors, settings)
    return StaticEncoder(
        encoder.vocabulary,
        DenseMatrix(words),
        tokenizer_spec=encoder.tokenizer_spec,
        ngrams=DenseMatrix(ngrams),
        ngram_settings=NgramSettings(settings.min_n, settings.max_n, settings.num_buckets),
        manifest=manifest,
    )


def _weight_words(
    vectors: FloatArray, counts: NDArray[np.integer], settings: FinishSettings
) -> FloatArray:
    share = counts / counts.sum()
    weight = np.ones(len(share))
    if settings.frequency_weight:
        weight = settings.frequency_weight / (settings.frequency_weight + share)
    norms = np.linalg.norm(vectors, axis=1).clip(1e-8)
    scaled = vectors * (norms ** (settings.norm_power - 1))[:, None]
    mass = share * weight**2
    scaled -= (mass @ scaled) / mass.sum()
    weighted: FloatArray = (scaled * weight[:, None]).astype(np.float32)
    return weighted


def _reduce(vectors: FloatArray, counts: NDArray[np.integer], dim: int) -> FloatArray:
    """The principal components; words count by the square root of their frequency."""
    mass = np.sqrt(counts / counts.sum())
    _, directions = np.linalg.eigh((vectors * mass[:, None]).T @ vectors)
    reduced: FloatArray = (vectors @ directions[:, -dim:]).astype(np.float32)
    return reduced


def _add_subwords(
    words: list[str], vectors: FloatArray, settings: FinishSettings
) -> tuple[FloatArray, FloatArray]:
    """The words' vectors with their n-gram part, and the n-grams' rows."""
    lists = [
        np.array(ngram_buckets(word, settings.min_n, settings.max_n, settings.num_buckets))
        for word in words
    ]
    document_frequency = np.zeros(settings.num_buckets)
    for buckets in lists:
        document_frequency[np.unique(buckets)] += 1
    idf = np.log(len(words) / (1 + document_frequency)).clip(_LEAST_IDF)
    rng = np.random.default_rng(settings.seed)
    table = rng.standard_normal((settings.num_buckets, settings.subword_dim), np.float32)
    table *= (idf / np.sqrt(settings.subword_dim))[:, None].astype(np.float32)
    means = np.stack([table[buckets].mean(axis=0) for buckets in lists])
    lengths = np.linalg.norm(means, axis=1, keepdims=True).clip(1e-8)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    subwords = means / lengths * norms * settings.subword_scale
    # An unknown word gets the length that the n-gram part of rare words has.
    rare = slice(int(len(words) * (1 - _RARE)), None)
    table *= settings.subword_scale * float(norms[rare].mean() / lengths[rare].mean())
    no_training = np.zeros((settings.num_buckets, vectors.shape[1]), np.float32)
    return np.hstack([vectors, subwords]), np.hstack([no_training, table])
