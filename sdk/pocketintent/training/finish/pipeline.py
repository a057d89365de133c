"""Finishing an encoder: count its words in a corpus, weight them, and add the n-gram part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.numbers import LARGEST
from pocketintent.runtime.quantization.matrices import DenseMatrix
from pocketintent.runtime.text.ngrams import NgramSettings
from pocketintent.training.finish.model import add_subwords, reduce_vectors, weight_words
from pocketintent.training.finish.settings import FinishSettings


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


def finish_encoder(encoder: StaticEncoder, settings: FinishSettings) -> StaticEncoder:
    """Weight the words of a trained encoder and add the n-gram part.

    The vector of a word becomes ``[trained, subword_scale * |trained| * ngrams]``. ``trained`` is
    the trained vector minus the mean vector of the corpus (Arora et al. 2017 subtract the first
    principal component), times the weight of the word, reduced to the principal components of
    the vocabulary. ``ngrams`` is the unit sum of the random vectors of the word's n-grams, each
    weighted by its inverse document frequency in the vocabulary.

    Args:
        encoder: A trained encoder with ``counts`` and without n-grams; it is not changed.
        settings: Weights and sizes.

    Returns:
        An encoder of dimension ``trained_dim + subword_dim``, with the same counts, and with
        n-grams for unknown words unless ``subword_dim`` is 0.

    Raises:
        PocketIntentError: A setting is out of range, the encoder has no counts or already has
            n-grams, or the weighted vectors have numbers that a model may not contain.
    """
    settings.check()
    if encoder.ngrams is not None:
        raise PocketIntentError("the model has n-grams already; finish one trained without them")
    counts = encoder.counts
    if counts is None:
        raise PocketIntentError("the model has no word counts; count its words in a corpus")
    vectors = weight_words(encoder.words.decode(), counts, settings)
    if not (np.abs(vectors) <= LARGEST).all():  # NaN fails, too
        raise PocketIntentError(
            f"the weighted vectors have numbers that are NaN or beyond {LARGEST:.0f}: lower "
            f"norm_power ({settings.norm_power}) or "
            f"frequency_weight ({settings.frequency_weight}), "
            "and check that the vectors of the model are finite"
        )
    if 0 < settings.trained_dim < encoder.dim:
        vectors = reduce_vectors(vectors, counts, settings.trained_dim)
    manifest = {**encoder.manifest, "finish": asdict(settings)}
    manifest.pop("quality", None)
    # The codebook for templates belongs to the vectors of before.
    weighted = encoder.replace(
        words=DenseMatrix(vectors), template_quantizer=None, manifest=manifest
    )
    if not settings.subword_dim:
        return weighted
    ngram_settings = NgramSettings(settings.min_n, settings.max_n, settings.num_buckets)
    words, ngrams = add_subwords(encoder.vocabulary.words, vectors, ngram_settings, settings)
    return weighted.replace(
        words=DenseMatrix(words), ngrams=DenseMatrix(ngrams), ngram_settings=ngram_settings
    )
