"""Combination of a table of word vectors and a character network trained on it."""

from __future__ import annotations

from typing import Any

import numpy as np

from pocketintent.compression.prune import keep_frequent, without_ngrams
from pocketintent.compression.quantise import StageProgress, quantise_encoder
from pocketintent.runtime.arrays import FloatArray, mean_cosine
from pocketintent.runtime.encoders.charemb.encoder import CharEncoder
from pocketintent.runtime.encoders.combined import DEFAULT_ATTENTION, Attention, CombinedEncoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.quantization.matrices import DenseMatrix, QuantizedMatrix

LEAST_COSINE = 0.1
"""Mean cosine of words and network below which they are in different spaces: another space gives
about 0, and the smallest preset reaches 0.4 in its own."""

_WORDS_AT_ONCE = 1024
_COMPARED = 2000


def combine_encoders(
    words: StaticEncoder,
    characters: CharEncoder,
    *,
    blend: float = 0.15,
    attention: Attention | None = DEFAULT_ATTENTION,
    keep: int | None = None,
    sub_dim: int | None = None,
    codebook_size: int | None = None,
    seed: int = 0,
    progress: StageProgress | None = None,
) -> CombinedEncoder:
    """Combine a table of words with the character network that was trained on its vectors.

    With ``blend`` a word's vector becomes ``(1 - blend) * table + blend * network``, unless the
    network knows no character of it, so that misspelt forms are nearer to it. The table is then
    quantised again in the same basis, so a codebook for templates stays valid. The model has no
    n-grams, no counts, since it cannot be compressed further, and no ``quality``.

    The ``keep`` most frequent words stay, or all. ``sub_dim`` and ``codebook_size`` are the table's
    own by default, or 256 centroids for a table in floats, which stays so without ``sub_dim``. A
    setting out of range, and parts that differ, are PocketIntentErrors.
    """
    if not 0 <= blend < 1:
        raise PocketIntentError(f"blend is {blend}; it must be at least 0 and below 1")
    if keep is not None:
        words = keep_frequent(words, keep)
    # The sentence vectors of the combination differ from those of its parts.
    plain = without_ngrams(words).replace(background=None)
    characters = characters.replace(background=None)
    CombinedEncoder(plain, characters)  # rejects parts that do not fit, before any work
    settings = _settings(words, sub_dim, codebook_size)
    num_read = len(plain.words) if blend else min(_COMPARED, len(plain.words))
    table = plain.words.decode().copy()  # a table of floats decodes to itself
    own = _embed(characters, plain.vocabulary.words[:num_read], progress)
    # No word that the network can read: a mean of NaN, which is as bad as 0.
    cosine = float(np.nan_to_num(mean_cosine(table[:_COMPARED], own[:_COMPARED])))
    if cosine < LEAST_COSINE:
        raise PocketIntentError(
            f"the mean cosine of the words to the character network is {cosine:.2f}: it was "
            "trained on other vectors; train it with these words as its target"
        )
    if blend:
        readable = own.any(axis=1)
        table[readable] *= np.float32(1 - blend)
        table[readable] += np.float32(blend) * own[readable]
        plain = plain.replace(words=DenseMatrix(table))
    if settings is not None and (blend or settings != _settings(words, None, None)):
        before = plain.manifest.get("compression", {})
        # No rotation: the vectors of the network are in the present basis of the table.
        plain = quantise_encoder(plain, rotate=False, seed=seed, progress=progress, **settings)
        plain.manifest["compression"]["rotate"] = before.get("rotate", False)
    plain = plain.replace(counts=None)
    plain.manifest["combination"] = {"blend": blend, "keep": keep, "cosine": round(cosine, 4)}
    return CombinedEncoder(plain, characters, attention)


def _embed(characters: CharEncoder, words: list[str], progress: StageProgress | None) -> FloatArray:
    vectors = np.empty((len(words), characters.dim), np.float32)
    for start in range(0, len(words), _WORDS_AT_ONCE):
        batch = words[start : start + _WORDS_AT_ONCE]
        vectors[start : start + len(batch)] = characters.embed_terms(batch)
        if progress is not None:
            progress("read words", start + len(batch), len(words))
    return vectors


def _settings(
    words: StaticEncoder, sub_dim: int | None, codebook_size: int | None
) -> dict[str, Any] | None:
    """The settings of the table's quantiser; None for a table that stays in floats."""
    given = {"sub_dim": sub_dim, "codebook_size": codebook_size}
    settings: dict[str, Any] = {k: value for k, value in given.items() if value is not None}
    if isinstance(words.words, QuantizedMatrix):
        quantizer = words.words.quantizer
        names = ("sub_dim", "codebook_size", "per_position", "normalised")
        settings = {name: getattr(quantizer, name) for name in names} | settings
    elif not settings:
        return None
    elif sub_dim is None:
        raise PocketIntentError(
            "codebook_size requires sub_dim, because the vectors of words are floats"
        )
    else:
        settings.setdefault("codebook_size", 256)
    if settings["sub_dim"] < 1 or words.dim % settings["sub_dim"]:
        raise PocketIntentError(
            f"sub_dim is {settings['sub_dim']}; it must divide the {words.dim} dimensions that the "
            "words share with the character network"
        )
    return settings
