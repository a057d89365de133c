"""Quantisation of an encoder: its words, its n-grams, and a codebook for templates."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from pocketintent.compression.codebooks import encode_matrix, fit_quantizer
from pocketintent.compression.kinds import changeable_table, compression_of, tables_of
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.index.building import fit_template_quantizer
from pocketintent.runtime.quantization.matrices import Matrix, QuantizedMatrix

EncoderT = TypeVar("EncoderT", bound=ModelEncoder)

StageProgress = Callable[[str, int, int], None]
"""Called as ``progress(stage, done, total)``."""

_LARGEST_NAMED = 16  # length of a sub-vector that an error suggests
_STAGES = {"ngrams": "n-grams"}  # names of tables in progress, where they differ


def quantise_encoder(
    encoder: EncoderT,
    *,
    sub_dim: int,
    codebook_size: int,
    count_power: float = 0.5,
    per_position: bool = True,
    normalised: bool = True,
    rotate: bool = True,
    sample: int = 50_000,
    seed: int = 0,
    progress: StageProgress | None = None,
) -> EncoderT:
    """Replace the vectors in an encoder's tables, such as words and n-grams, by codes.

    Two steps go beyond the thesis (figures in ``docs/compression.md``): frequent words shape the
    codebooks more, and all vectors, and a network with them, are rotated at random first, which
    spreads the variance evenly over the sub-vectors. If ``sub_dim`` does not divide the dimension,
    vectors are padded with zeros, if there is no network.

    Args:
        encoder: The encoder to quantise; it is not changed.
        sub_dim: Length of a sub-vector.
        codebook_size: Centroids of a codebook.
        count_power: A word's share of the sample for codebooks is its count to this power.
        per_position: Whether each position has its own codebook; else all share one.
        normalised: Whether to quantise directions and keep the norms in half precision.
        rotate: Whether to rotate the vectors at random first, if the kind can be.
        sample: Number of sub-vectors that a codebook is fitted on.
        seed: Seed of that sample and of the rotation.
        progress: Called after each codebook and each block of rows.

    Returns:
        The quantised encoder. Its manifest has the settings under ``compression``. Dropped are
        ``quality`` and, if the vectors were rotated or padded, template codebook and background.

    Raises:
        PocketIntentError: A setting is out of range, a vector is not finite, or a table is missing.
    """
    compression, tables = compression_of(encoder.kind), tables_of(encoder)
    if not tables:
        raise PocketIntentError(f"a model of kind {encoder.kind!r} has no tables to quantise")
    if empty := [_STAGES.get(name, name) for name, table in tables.items() if not len(table)]:
        raise PocketIntentError(
            f"the model has no {empty[0]} to quantise; `compress` needs a model with words"
        )
    check_sub_dim(encoder, sub_dim)
    rotate = rotate and compression.rotates
    dim = _dim(encoder)
    rotation = random_rotation(dim + -dim % sub_dim, seed) if rotate else None
    if rotation is not None and compression.rotate is not None:
        encoder = encoder.replace(network=compression.rotate(encoder.network, rotation))  # type: ignore[attr-defined]
    settings: dict[str, Any] = {
        "sub_dim": sub_dim,
        "codebook_size": codebook_size,
        "per_position": per_position,
        "normalised": normalised,
        "seed": seed,
    }

    def quantise(name: str, table: Matrix) -> QuantizedMatrix:
        vectors = table.decode()
        if padding := -dim % sub_dim:
            vectors = np.pad(vectors, ((0, 0), (0, padding)))
        if rotation is not None:
            vectors = vectors @ rotation
        stage = _STAGES.get(name, name)
        quantizer = fit_quantizer(
            vectors,
            weights=weights if name == "words" else None,
            sample=sample,
            progress=None if progress is None else partial(progress, f"fit {stage}"),
            **settings,
        )
        encoding = None if progress is None else partial(progress, f"encode {stage}")
        return encode_matrix(vectors, quantizer, progress=encoding)

    table = changeable_table(encoder)
    counts = None if table is None else table.counts
    weights = None if counts is None else counts.astype(np.float64) ** count_power
    codes: dict[str, Any] = {name: quantise(name, table) for name, table in tables.items()}
    manifest = {key: value for key, value in encoder.manifest.items() if key != "quality"}
    power = 0.0 if counts is None else count_power
    manifest["compression"] = {**settings, "rotate": rotate, "count_power": power}
    same_basis = not rotate and dim % sub_dim == 0
    if encoder.background is not None and not same_basis:
        encoder = encoder.replace(background=None)
    return encoder.replace(
        template_quantizer=encoder.template_quantizer if same_basis else None,
        manifest=manifest,
        **codes,
    )


def quantise_network(encoder: EncoderT) -> EncoderT:
    """A copy whose network is stored as int8, but for ``charemb``; itself if nothing changes."""
    quantise, network = compression_of(encoder.kind).quantise, getattr(encoder, "network", None)
    small = network if quantise is None else quantise(network)
    return encoder if small is network else encoder.replace(network=small)


def add_template_quantizer(
    encoder: EncoderT, texts: Iterable[str], *, sample: int = 50_000, seed: int = 0
) -> EncoderT:
    """A copy of a compressed encoder with a codebook for templates, fitted on texts of a corpus.

    An app then fits no codebook at every start; see :func:`fit_template_quantizer`. A corpus of
    which no text in the random sample has a known word is a PocketIntentError.
    """
    sampled = sample_texts(texts, sample, seed)
    vectors = encoder.encode_batch(sampled)
    vectors = vectors[vectors.any(axis=1)]
    if not len(vectors):
        raise PocketIntentError(
            f"none of {len(sampled)} texts of the corpus has a word that the model knows; "
            "give a corpus in the language of the model"
        )
    return encoder.replace(template_quantizer=fit_template_quantizer(vectors))


def sample_texts(texts: Iterable[str], size: int, seed: int) -> list[str]:
    """Draw ``size`` texts from a stream of any length (Vitter 1985, algorithm R)."""
    generator = random.Random(seed)
    sampled: list[str] = []
    for index, text in enumerate(texts):
        if index < size:
            sampled.append(text)
        elif (position := generator.randrange(index + 1)) < size:
            sampled[position] = text
    return sampled


def random_rotation(dim: int, seed: int) -> NDArray[np.float32]:
    """Draw an orthogonal matrix ``[dim, dim]``, uniformly over all of them (Mezzadri 2007)."""
    gaussian = np.random.default_rng(seed).standard_normal((dim, dim))
    q, r = np.linalg.qr(gaussian)
    rotation: NDArray[np.float32] = (q * np.sign(np.diag(r))).astype(np.float32)
    return rotation


def fits_sub_dim(encoder: ModelEncoder, sub_dim: int) -> bool:
    """Whether the vectors in an encoder's tables can be cut into parts of ``sub_dim`` numbers."""
    return compression_of(encoder.kind).rotate is None or _dim(encoder) % sub_dim == 0


def check_sub_dim(encoder: ModelEncoder, sub_dim: int) -> None:
    """Raise PocketIntentError for a ``sub_dim`` that does not fit; the message has some that do."""
    if sub_dim < 1:
        raise PocketIntentError(f"sub_dim is {sub_dim}; it must be at least 1")
    if not fits_sub_dim(encoder, sub_dim):
        fitting = [str(n) for n in range(1, _LARGEST_NAMED + 1) if fits_sub_dim(encoder, n)]
        raise PocketIntentError(
            f"sub_dim must divide the {_dim(encoder)} dimensions of the words, since the network "
            f"cannot read padded vectors, and {sub_dim} does not; --sub-dim may be "
            f"{', '.join(fitting)}"
        )


def _dim(encoder: ModelEncoder) -> int:
    """The size of the vectors in the tables, which may differ from that of sentence vectors."""
    return next(iter(tables_of(encoder).values())).dim
