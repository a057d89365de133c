"""Quantisation of an encoder: its words, its n-grams, and a codebook for templates."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from pocketintent.compression.codebooks import encode_matrix, fit_quantizer, quantise_weights
from pocketintent.compression.kinds import compression_of, tables_of, words_of
from pocketintent.runtime.encoders.charemb.encoder import CharEncoder
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.encoders.weights import WeightFormat
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.index.building import fit_template_quantizer

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

    The settings are those of :class:`QuantisationSettings`; ``sample`` sub-vectors, drawn by
    ``seed`` like the rotation, are what a codebook is fitted on. The manifest has them under
    ``compression``. Dropped are ``quality`` and, if the vectors were rotated or padded, the
    template codebook and the background. A setting out of range, a vector that is not finite, and
    an encoder without tables are PocketIntentErrors.
    """
    compression, tables = compression_of(encoder.kind), tables_of(encoder)
    if not tables:
        raise PocketIntentError(f"a model of kind {encoder.kind!r} has no tables to quantise")
    for name, table in tables.items():
        if not len(table):
            what = f"the model has no {_STAGES.get(name, name)} to quantise"
            raise PocketIntentError(f"{what}; `compress` needs a model with words")
    check_sub_dim(encoder, sub_dim)
    rotate = rotate and compression.rotates
    words = words_of(encoder)
    counts, padding = words.counts, -words.dim % sub_dim
    rotation = random_rotation(words.dim + padding, seed) if rotate else None
    changes: dict[str, Any] = {}
    if rotation is not None and compression.rotate is not None:
        changes["network"] = compression.rotate(encoder.network, rotation)  # type: ignore[attr-defined]
    settings: dict[str, Any] = {
        "sub_dim": sub_dim,
        "codebook_size": codebook_size,
        "per_position": per_position,
        "normalised": normalised,
        "seed": seed,
    }
    for name, table in tables.items():
        vectors = np.pad(table.decode(), ((0, 0), (0, padding))) if padding else table.decode()
        if rotation is not None:
            vectors = vectors @ rotation
        weights = None if counts is None or name != "words" else counts.astype(float) ** count_power
        fitting, encoding = (
            None if progress is None else partial(progress, f"{step} {_STAGES.get(name, name)}")
            for step in ("fit", "encode")
        )
        fit = partial(fit_quantizer, weights=weights, sample=sample, progress=fitting)
        changes[name] = encode_matrix(vectors, fit(vectors, **settings), progress=encoding)
    manifest = {key: value for key, value in encoder.manifest.items() if key != "quality"}
    settings |= {"rotate": rotate, "count_power": 0.0 if counts is None else count_power}
    changes["manifest"] = manifest | {"compression": settings}
    if rotate or padding:  # another basis
        changes["template_quantizer"] = None
        if encoder.background is not None:
            changes["background"] = None
    return encoder.replace(**changes)


def quantise_network(encoder: EncoderT) -> EncoderT:
    """A copy whose network is quantised, but for ``charemb``; itself if nothing changes."""
    quantise, network = compression_of(encoder.kind).quantise, getattr(encoder, "network", None)
    small = network if quantise is None else quantise(network)
    return encoder if small is network else encoder.replace(network=small)


def quantise_charemb(
    encoder: CharEncoder,
    weights: WeightFormat = "int8",
    *,
    sub_dim: int = 1,
    codebook_size: int = 16,
    seed: int = 0,
) -> CharEncoder:
    """A copy of a character encoder with weights of another format; see :func:`quantise_weights`.

    The figures of the defaults, 4 bits a number as codes, are in ``docs/charemb.md``. The entry
    ``quality``, measured on the old weights, is dropped. An unknown format is a PocketIntentError.
    """
    if weights not in (known := get_args(WeightFormat)):
        raise PocketIntentError(f"weights must be one of {', '.join(known)}, not {weights!r}")
    stored = quantise_weights(
        encoder.weights, weights, sub_dim=sub_dim, codebook_size=codebook_size, seed=seed
    )
    manifest = {key: value for key, value in encoder.manifest.items() if key != "quality"}
    return encoder.replace(weights=stored, manifest=manifest)


def add_template_quantizer(
    encoder: EncoderT, texts: Iterable[str], *, sample: int = 50_000, seed: int = 0
) -> EncoderT:
    """A copy of a compressed encoder with a codebook for templates, fitted on texts of a corpus.

    An app then fits none at every start. A corpus without a known word is a PocketIntentError.
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
    return compression_of(encoder.kind).quantise is None or words_of(encoder).dim % sub_dim == 0


def check_sub_dim(encoder: ModelEncoder, sub_dim: int) -> None:
    """Raise PocketIntentError for a ``sub_dim`` that does not fit; the message has some that do."""
    if sub_dim < 1:
        raise PocketIntentError(f"sub_dim is {sub_dim}; it must be at least 1")
    if not fits_sub_dim(encoder, sub_dim):
        fitting = [str(n) for n in range(1, _LARGEST_NAMED + 1) if fits_sub_dim(encoder, n)]
        raise PocketIntentError(
            f"sub_dim must divide the {words_of(encoder).dim} dimensions of the words, since the "
            f"network cannot read padded vectors, and {sub_dim} does not; --sub-dim may be "
            f"{', '.join(fitting)}"
        )
