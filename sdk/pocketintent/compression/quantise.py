"""Quantise an encoder: its words, its n-grams, and a codebook for the templates."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketintent.compression.prune import prune_encoder, select_by_frequency
from pocketintent.runtime.decision.matching import fit_template_quantizer
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.quantization.matrices import DenseMatrix, QuantizedMatrix
from pocketintent.runtime.quantization.quantizer import Quantizer

StageProgress = Callable[[str, int, int], None]
"""Called as ``progress(stage, done, total)``."""


def compress_encoder(
    encoder: StaticEncoder,
    *,
    keep: int | None = None,
    counts: NDArray[np.integer] | None = None,
    sub_dim: int = 10,
    codebook_size: int = 128,
    count_power: float = 0.5,
    per_position: bool = True,
    normalised: bool = True,
    rotate: bool = True,
    seed: int = 0,
    progress: StageProgress | None = None,
) -> StaticEncoder:
    """Prune by frequency, then quantise.

    Args:
        encoder: The encoder to compress; it stays as it is.
        keep: Words to keep; None for all.
        counts: Occurrences of each word, ``[num_words]``. Without them the first words are
            kept, since training puts the most frequent first, and all words shape the
            codebooks alike.
        sub_dim: Length of a sub-vector.
        codebook_size: Centroids of a codebook.
        count_power: See :func:`quantise_encoder`.
        per_position: One codebook for each position, else one for all.
        normalised: Quantise directions and keep the norms in half precision.
        rotate: Rotate the vectors at random first.
        seed: Seed of the sample that the codebooks are fitted on, and of the rotation.
        progress: Called as the work goes on.

    Returns:
        The compressed encoder, see :func:`quantise_encoder`.

    Raises:
        PocketIntentError: A setting makes no sense, or a vector holds NaN or infinity.
    """
    if keep is not None:
        ids = select_by_frequency(falling(encoder) if counts is None else counts, keep)
        encoder = prune_encoder(encoder, ids)
        counts = None if counts is None else counts[ids]
    return quantise_encoder(
        encoder,
        sub_dim=sub_dim,
        codebook_size=codebook_size,
        counts=counts,
        count_power=count_power,
        per_position=per_position,
        normalised=normalised,
        rotate=rotate,
        seed=seed,
        progress=progress,
    )


def falling(encoder: StaticEncoder) -> NDArray[np.intp]:
    """Numbers that stand for counts where there are none: the first word has the largest."""
    return np.arange(len(encoder.words), 0, -1)


def quantise_encoder(
    encoder: StaticEncoder,
    *,
    sub_dim: int,
    codebook_size: int,
    counts: NDArray[np.integer] | None = None,
    count_power: float = 0.5,
    per_position: bool = True,
    normalised: bool = True,
    rotate: bool = True,
    sample: int = 50_000,
    seed: int = 0,
    progress: StageProgress | None = None,
) -> StaticEncoder:
    """Turn the words of an encoder, and its n-grams where it has them, into codes.

    Two things beside the thesis make the codes better at no cost to the model (figures in
    ``docs/compression.md``). Words that are used more shape the codebooks more, by a power
    of their counts. And all vectors are rotated at random first, which leaves every
    cosine as it is and spreads the variance evenly over the sub-vectors: nothing has to be
    rotated back, since sentences and templates are made of the rotated vectors too.

    A dimension that ``sub_dim`` does not divide is filled up with zeros; the encoder's
    ``dim`` grows by them.

    Args:
        encoder: The encoder to quantise; it stays as it is.
        sub_dim: Length of a sub-vector.
        codebook_size: Centroids of a codebook.
        counts: Occurrences of each word, ``[num_words]``; None to treat all words alike.
        count_power: A word's share of the sample that codebooks are fitted on is its count to
            this power; 0 treats all words alike.
        per_position: One codebook for each position, else one for all.
        normalised: Quantise directions and keep the norms in half precision.
        rotate: Rotate the vectors at random first.
        sample: Sub-vectors that a codebook is fitted on.
        seed: Seed of that sample and of the rotation.
        progress: Called after each codebook and each block of rows.

    Returns:
        The quantised encoder. The settings stand in its manifest under ``compression``; a
        ``quality`` entry, measured on the old vectors, is dropped, and so is a template
        codebook when the vectors were rotated or filled up.

    Raises:
        PocketIntentError: A setting makes no sense, or a vector holds NaN or infinity.
    """
    _check_sub_dim(sub_dim)
    rotation = random_rotation(encoder.dim + -encoder.dim % sub_dim, seed) if rotate else None
    settings: dict[str, Any] = {
        "sub_dim": sub_dim,
        "codebook_size": codebook_size,
        "per_position": per_position,
        "normalised": normalised,
        "seed": seed,
    }

    def quantise(
        matrix: QuantizedMatrix | DenseMatrix, name: str, weights: NDArray[np.float64] | None
    ) -> QuantizedMatrix:
        vectors = _pad(matrix.decode(), sub_dim)
        if rotation is not None:
            vectors = vectors @ rotation
        quantizer = Quantizer.fit(
            vectors,
            weights=weights,
            sample=sample,
            progress=_stage(progress, f"fit {name}"),
            **settings,
        )
        return quantizer.encode(vectors, progress=_stage(progress, f"encode {name}"))

    weights = None if counts is None else np.asarray(counts, np.float64) ** count_power
    words = quantise(encoder.words, "words", weights)
    manifest = {key: value for key, value in encoder.manifest.items() if key != "quality"}
    power = 0.0 if counts is None else count_power
    manifest["compression"] = {**settings, "rotate": rotate, "count_power": power}
    same_basis = words.dim == encoder.dim and not rotate
    return StaticEncoder(
        encoder.vocabulary,
        words,
        tokenizer_spec=encoder.tokenizer_spec,
        ngrams=None if encoder.ngrams is None else quantise(encoder.ngrams, "n-grams", None),
        ngram_settings=encoder.ngram_settings,
        template_quantizer=encoder.template_quantizer if same_basis else None,
        manifest=manifest,
    )


def add_template_quantizer(
    encoder: StaticEncoder,
    texts: Iterable[str],
    *,
    sample: int = 50_000,
    seed: int = 0,
) -> StaticEncoder:
    """Fit the codebook that a recogniser quantises its templates with.

    It is fitted on the sentence vectors of a corpus, so that an app need not fit one at each
    start; see :func:`pocketintent.runtime.decision.matching.fit_template_quantizer`.

    Args:
        encoder: The encoder, compressed already.
        texts: The corpus.
        sample: Texts drawn from the corpus.
        seed: Seed of the draw.

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
    return StaticEncoder(
        encoder.vocabulary,
        encoder.words,
        tokenizer_spec=encoder.tokenizer_spec,
        ngrams=encoder.ngrams,
        ngram_settings=encoder.ngram_settings,
        template_quantizer=fit_template_quantizer(vectors),
        manifest=encoder.manifest,
    )


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


def random_rotation(dim: int, seed: int) -> NDArray[np.float32]:
    """An orthogonal matrix ``[dim, dim]``, uniform over all of them (Mezzadri 2007)."""
    gaussian = np.random.default_rng(seed).standard_normal((dim, dim))
    q, r = np.linalg.qr(gaussian)
    rotation: NDArray[np.float32] = (q * np.sign(np.diag(r))).astype(np.float32)
    return rotation


def _check_sub_dim(sub_dim: int) -> None:
    if sub_dim < 1:
        raise PocketIntentError(f"sub_dim is {sub_dim}; it must be at least 1")


def _pad(vectors: NDArray[np.float32], sub_dim: int) -> NDArray[np.float32]:
    missing = -vectors.shape[1] % sub_dim
    return np.pad(vectors, ((0, 0), (0, missing))) if missing else vectors


def _stage(progress: StageProgress | None, stage: str) -> Callable[[int, int], None] | None:
    if progress is None:
        return None
    return lambda done, total: progress(stage, done, total)
