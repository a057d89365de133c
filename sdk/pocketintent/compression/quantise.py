"""Quantise an encoder: its words, its n-grams, and a codebook for the templates."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketintent.compression.prune import prune_encoder, select_by_frequency
from pocketintent.runtime.encoders import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.quantizer import DenseMatrix, QuantizedMatrix, Quantizer

StageProgress = Callable[[str, int, int], None]
"""Called as ``progress(stage, done, total)``."""

NUM_TEMPLATE_CODES = 32
"""Codes of a template, as near as the dimension allows."""


def compress_encoder(
    encoder: StaticEncoder,
    *,
    keep: int | None = None,
    counts: NDArray[np.integer] | None = None,
    sub_dim: int = 10,
    codebook_size: int = 128,
    per_position: bool = True,
    normalised: bool = True,
    seed: int = 0,
    progress: StageProgress | None = None,
) -> StaticEncoder:
    """Prune by frequency, then quantise.

    Args:
        encoder: The encoder to compress; it stays as it is.
        keep: Words to keep; None for all.
        counts: Occurrences of each word, ``[num_words]``; without them the vocabulary's order
            counts, which training makes that of falling frequency.
        sub_dim: Length of a sub-vector.
        codebook_size: Centroids of a codebook.
        per_position: One codebook for each position, else one for all.
        normalised: Quantise directions and keep the norms in half precision.
        seed: Seed of the sample that the codebooks are fitted on.
        progress: Called as the work goes on.

    Returns:
        The compressed encoder, see :func:`quantise_encoder`.

    Raises:
        PocketIntentError: A setting makes no sense, or a vector holds NaN or infinity.
    """
    if keep is not None:
        if counts is None:
            counts = np.arange(len(encoder.vocabulary), 0, -1)
        encoder = prune_encoder(encoder, select_by_frequency(counts, keep))
    return quantise_encoder(
        encoder,
        sub_dim=sub_dim,
        codebook_size=codebook_size,
        per_position=per_position,
        normalised=normalised,
        seed=seed,
        progress=progress,
    )


def quantise_encoder(
    encoder: StaticEncoder,
    *,
    sub_dim: int,
    codebook_size: int,
    per_position: bool = True,
    normalised: bool = True,
    sample: int = 50_000,
    seed: int = 0,
    progress: StageProgress | None = None,
) -> StaticEncoder:
    """Turn the words of an encoder, and its n-grams where it has them, into codes.

    A dimension that ``sub_dim`` does not divide is filled up with zeros, which decode to
    zeros; the encoder's ``dim`` grows by them, and its template codebook is dropped, since
    it was made for the old dimension.

    Args:
        encoder: The encoder to quantise; it stays as it is.
        sub_dim: Length of a sub-vector.
        codebook_size: Centroids of a codebook.
        per_position: One codebook for each position, else one for all.
        normalised: Quantise directions and keep the norms in half precision.
        sample: Sub-vectors that a codebook is fitted on.
        seed: Seed of that sample.
        progress: Called after each codebook and each block of rows.

    Returns:
        The quantised encoder. The settings stand in its manifest under ``compression``; a
        ``quality`` entry, measured on the old vectors, is dropped.

    Raises:
        PocketIntentError: A setting makes no sense, or a vector holds NaN or infinity.
    """
    settings: dict[str, Any] = {
        "sub_dim": sub_dim,
        "codebook_size": codebook_size,
        "per_position": per_position,
        "normalised": normalised,
        "seed": seed,
    }

    def quantise(matrix: QuantizedMatrix | DenseMatrix, name: str) -> QuantizedMatrix:
        vectors = _pad(matrix.decode(), sub_dim)
        quantizer = Quantizer.fit(
            vectors, sample=sample, progress=_stage(progress, f"fit {name}"), **settings
        )
        return quantizer.encode(vectors, progress=_stage(progress, f"encode {name}"))

    words = quantise(encoder.words, "words")
    manifest = {key: value for key, value in encoder.manifest.items() if key != "quality"}
    manifest["compression"] = {**encoder.manifest.get("compression", {}), **settings}
    return StaticEncoder(
        encoder.vocabulary,
        words,
        tokenizer_spec=encoder.tokenizer_spec,
        ngrams=None if encoder.ngrams is None else quantise(encoder.ngrams, "n-grams"),
        ngram_settings=encoder.ngram_settings,
        template_quantizer=encoder.template_quantizer if words.dim == encoder.dim else None,
        manifest=manifest,
    )


def add_template_quantizer(
    encoder: StaticEncoder,
    texts: Iterable[str],
    *,
    codebook_size: int = 256,
    sample: int = 50_000,
    seed: int = 0,
    progress: StageProgress | None = None,
) -> StaticEncoder:
    """Fit the codebook that a recogniser quantises its templates with.

    It is fitted on the sentence vectors of a corpus, which are of unit length, with one
    codebook for each position and a ``sub_dim`` that gives about 32 codes.

    Args:
        encoder: The encoder, compressed already.
        texts: The corpus.
        codebook_size: Centroids of a codebook.
        sample: Texts drawn from the corpus.
        seed: Seed of the draw.
        progress: Called as the work goes on.

    Returns:
        The encoder with its ``template_quantizer``.

    Raises:
        PocketIntentError: No text of the sample has a word that the encoder knows.
    """
    drawn = sample_texts(texts, sample, seed)
    vectors = encoder.encode_batch(drawn)
    vectors = vectors[vectors.any(axis=1)]
    if not len(vectors):
        raise PocketIntentError(
            f"none of {len(drawn)} texts of the corpus has a word that the model knows; "
            "give a corpus of the model's language"
        )
    quantizer = Quantizer.fit(
        vectors,
        sub_dim=template_sub_dim(encoder.dim),
        codebook_size=codebook_size,
        normalised=False,
        sample=sample,
        seed=seed,
        progress=_stage(progress, "fit templates"),
    )
    return StaticEncoder(
        encoder.vocabulary,
        encoder.words,
        tokenizer_spec=encoder.tokenizer_spec,
        ngrams=encoder.ngrams,
        ngram_settings=encoder.ngram_settings,
        template_quantizer=quantizer,
        manifest=encoder.manifest,
    )


def template_sub_dim(dim: int) -> int:
    """The divisor of ``dim`` that gives the number of codes nearest to 32."""
    divisors = [size for size in range(1, dim + 1) if dim % size == 0]
    return min(divisors, key=lambda size: abs(dim // size - NUM_TEMPLATE_CODES))


def sample_texts(texts: Iterable[str], size: int, seed: int) -> list[str]:
    """Draw ``size`` texts from a stream of any length (Vitter 1985, algorithm R)."""
    generator = random.Random(seed)
    drawn: list[str] = []
    for index, text in enumerate(texts):
        if index < size:
            drawn.append(text)
        elif (place := generator.randrange(index + 1)) < size:
            drawn[place] = text
    return drawn


def _pad(vectors: NDArray[np.float32], sub_dim: int) -> NDArray[np.float32]:
    if sub_dim < 1:
        raise PocketIntentError(f"sub_dim is {sub_dim}; it must be at least 1")
    missing = -vectors.shape[1] % sub_dim
    return np.pad(vectors, ((0, 0), (0, missing))) if missing else vectors


def _stage(progress: StageProgress | None, stage: str) -> Callable[[int, int], None] | None:
    if progress is None:
        return None
    return lambda done, total: progress(stage, done, total)
