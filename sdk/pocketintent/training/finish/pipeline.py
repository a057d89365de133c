"""Finishing an encoder: count its words, apply a pooling to them, and add the n-gram part."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.numbers import LARGEST
from pocketintent.runtime.quantization.matrices import DenseMatrix
from pocketintent.runtime.text.ngrams import NgramSettings
from pocketintent.training.finish.data import Sentences, count_words
from pocketintent.training.finish.model import add_subwords, main_directions, scale_norms
from pocketintent.training.finish.pooling import Rows, pool_rows
from pocketintent.training.finish.settings import FinishSettings


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
    rows too, and an unknown word has the weight of a word that never occurs.

    Args:
        encoder: A trained encoder; it is not changed. It requires ``counts`` if there are no
            texts.
        settings: The pooling, weights and sizes.
        texts: The corpus, which can be iterated several times; its words are counted, and replace
            the encoder's counts. The poolings ``idf`` and ``sif`` require it. A tab separates the
            sentences of a text.

    Returns:
        An encoder of dimension ``trained_dim + subword_dim``, and with n-grams for unknown words
        unless ``subword_dim`` is 0 and the encoder has none. A ``trained_dim`` above the
        encoder's dimension, or of 0, keeps all of it.

    Raises:
        PocketIntentError: A setting is out of range or does not suit the encoder, the encoder is
            finished already, there is neither a count of words nor a corpus, no word occurs in the
            corpus, or the weighted vectors have numbers that a model may not contain.
    """
    settings.check()
    _check_encoder(encoder, settings)
    sentences = None
    if texts is not None:
        encoder = encoder.replace(counts=count_words(encoder, texts), compact_counts=False)
        sentences = Sentences(encoder, texts)
    counts = encoder.counts
    if counts is None:
        raise PocketIntentError("the model has no word counts; count its words in a corpus")
    rows = Rows(scale_norms(encoder.words.decode(), settings.norm_power), _unknown_rows(encoder))
    rows = pool_rows(rows, counts, sentences, settings)
    for vectors in rows:
        _check_numbers(vectors, settings)
    if 0 < settings.trained_dim < encoder.dim:
        directions = main_directions(rows.words, counts, settings.trained_dim)
        rows = rows.map(lambda vectors: vectors @ directions)
    manifest = {**encoder.manifest, "finish": asdict(settings)}
    manifest.pop("quality", None)
    return encoder.replace(
        **_tables(encoder, rows, settings),
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


def _unknown_rows(encoder: StaticEncoder) -> FloatArray | None:
    """The rows of the n-grams, multiplied by their weight."""
    if encoder.ngrams is None:
        return None
    assert encoder.ngram_settings is not None
    return encoder.ngrams.decode() * np.float32(encoder.ngram_settings.weight)


def _check_numbers(vectors: FloatArray | None, settings: FinishSettings) -> None:
    if vectors is not None and not (np.abs(vectors) <= LARGEST).all():  # NaN fails, too
        raise PocketIntentError(
            f"the weighted vectors have numbers that are NaN or beyond {LARGEST:.0f}: lower "
            f"--norm-power ({settings.norm_power}) or "
            f"--frequency-weight ({settings.frequency_weight}), "
            "and check that the vectors of the model are finite"
        )


def _tables(encoder: StaticEncoder, rows: Rows, settings: FinishSettings) -> dict[str, Any]:
    """The tables of the finished encoder, by constructor parameter."""
    words, ngrams, ngram_settings = rows.words, rows.ngrams, encoder.ngram_settings
    if settings.subword_dim:
        ngram_settings = NgramSettings(settings.min_n, settings.max_n, settings.num_buckets)
        words, ngrams = add_subwords(encoder.vocabulary.words, words, ngram_settings, settings)
    elif ngram_settings is not None:
        ngram_settings = replace(ngram_settings, weight=1.0)  # which the rows now contain
    return {
        "words": DenseMatrix(words),
        "ngrams": None if ngrams is None else DenseMatrix(ngrams),
        "ngram_settings": ngram_settings,
    }
