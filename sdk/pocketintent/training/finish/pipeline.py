"""Finishing an encoder: count its words, apply a pooling to them, and add the n-gram part.

Training by context has two weaknesses in a sum of word vectors: frequent words weigh too much,
and words that merely look alike ("transfer", "transferred", "transfers") are no nearer than chance
if one of them is rare. Poolings correct the first. A second group of dimensions corrects the
second: there a word is a random projection of its character n-grams, so that unknown words have a
vector too.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, replace

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import LARGEST, FloatArray
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.quantization.matrices import DenseMatrix
from pocketintent.runtime.text.ngrams import NgramSettings
from pocketintent.training.finish.pooling import Rows, Sentences, pool_rows
from pocketintent.training.finish.settings import FinishSettings

_MIN_IDF = 0.1  # an n-gram of every word still contributes
_RARE_SHARE = 0.25  # share of the vocabulary, its rarest words, that unknown words resemble


def finish_encoder(
    encoder: StaticEncoder, settings: FinishSettings, texts: Iterable[str] | None = None
) -> StaticEncoder:
    """Apply a pooling to the words of a trained encoder and add the n-gram part.

    The vector of a word becomes ``[trained, subword_scale * |trained| * ngrams]``. ``trained`` is
    the trained vector, weighted and freed from what all sentences share as the pooling requires,
    then reduced to the principal components of the vocabulary. ``ngrams`` is the unit sum of the
    random vectors of the word's n-grams, each weighted by its inverse document frequency in the
    vocabulary.

    An encoder that has n-grams, such as FastText's, keeps them: the pooling is applied to their
    rows too, and an unknown word has the weight of a word that never occurs. ``texts``, the corpus,
    can be iterated several times; a tab separates the sentences of a text. Their counts of words
    replace those of the encoder. The poolings ``idf`` and ``sif`` require them, and so does an
    encoder without counts.

    The result is of dimension ``trained_dim + subword_dim``, and has n-grams for unknown words
    unless ``subword_dim`` is 0 and the encoder has none. A ``trained_dim`` above the encoder's
    dimension, or of 0, keeps all of it. It is a PocketIntentError if settings, encoder and texts do
    not suit each other, or the weighted vectors have numbers that a model may not contain.
    """
    settings.check()
    _check_encoder(encoder, settings)
    sentences = None
    if texts is not None:
        sentences = Sentences(encoder, texts)
        encoder = encoder.replace(counts=sentences.count_words(), compact_counts=False)
    counts = encoder.counts
    if counts is None:
        raise PocketIntentError("the model has no word counts; count its words in a corpus")
    ngrams = None
    if encoder.ngrams is not None and encoder.ngram_settings is not None:
        ngrams = encoder.ngrams.decode() * np.float32(encoder.ngram_settings.weight)
    words = encoder.words.decode()
    norms = np.linalg.norm(words, axis=1).clip(1e-8)
    words = words * (norms ** (settings.norm_power - 1))[:, None]
    rows = pool_rows(Rows(words, ngrams), counts, sentences, settings)
    # Written so that NaN fails, too.
    if not all((np.abs(vectors) <= LARGEST).all() for vectors in rows if vectors is not None):
        raise PocketIntentError(
            f"the weighted vectors have numbers that are NaN or beyond {LARGEST:.0f}: lower "
            f"--norm-power ({settings.norm_power}) or "
            f"--frequency-weight ({settings.frequency_weight}), "
            "and check that the vectors of the model are finite"
        )
    if 0 < settings.trained_dim < encoder.dim:
        directions = main_directions(rows.words, counts, settings.trained_dim)
        rows = rows.map(lambda vectors: vectors @ directions)
    words, ngrams, ngram_settings = rows.words, rows.ngrams, encoder.ngram_settings
    if settings.subword_dim:
        ngram_settings = NgramSettings(settings.min_n, settings.max_n, settings.num_buckets)
        words, ngrams = add_subwords(encoder.vocabulary.words, words, ngram_settings, settings)
    elif ngram_settings is not None:
        ngram_settings = replace(ngram_settings, weight=1.0)  # which the rows now contain
    manifest = {**encoder.manifest, "finish": asdict(settings)}
    manifest.pop("quality", None)
    return encoder.replace(
        words=DenseMatrix(words),
        ngrams=None if ngrams is None else DenseMatrix(ngrams),
        ngram_settings=ngram_settings,
        template_quantizer=None,  # it belongs to the vectors of before
        background=None,
        manifest=manifest,
    )


def _check_encoder(encoder: StaticEncoder, settings: FinishSettings) -> None:
    if "finish" in encoder.manifest:
        raise PocketIntentError("the model is finished already; finish the model it was made from")
    if encoder.ngrams is not None and settings.subword_dim:
        raise PocketIntentError(
            "the model has n-grams already; finish one trained without them, or keep them by "
            "--subword-dim 0 --norm-power 1"
        )
    if encoder.ngrams is not None and settings.norm_power != 1:
        raise PocketIntentError(
            "the vectors of unknown words, which the model makes of n-grams, cannot be raised to "
            f"a power: norm_power must be 1, not {settings.norm_power} (--norm-power 1)"
        )


def main_directions(
    vectors: FloatArray, counts: NDArray[np.integer], dim: int
) -> NDArray[np.floating]:
    """The ``dim`` principal components of words, weighted by the roots of counts, in columns."""
    mass = np.sqrt(counts / counts.sum())
    directions: NDArray[np.floating] = np.linalg.eigh((vectors * mass[:, None]).T @ vectors)[1]
    return directions[:, -dim:]


def add_subwords(
    words: list[str], vectors: FloatArray, ngram_settings: NgramSettings, settings: FinishSettings
) -> tuple[FloatArray, FloatArray]:
    """Append the n-gram part to the vectors of words, the most frequent first.

    Returns those of words and n-grams, float32 [num_words or num_buckets, dim + subword_dim].
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
