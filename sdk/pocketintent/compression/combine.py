"""Make one model of a table of word vectors and a character network trained on it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketintent.compression.prune import prune_encoder, select_by_frequency, without_ngrams
from pocketintent.compression.quantise import StageProgress, falling, quantise_encoder
from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.charemb.encoder import CharEncoder
from pocketintent.runtime.encoders.combined.attention import DEFAULT_ATTENTION, Attention
from pocketintent.runtime.encoders.combined.encoder import CombinedEncoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.quantization.matrices import DenseMatrix, QuantizedMatrix

LEAST_COSINE = 0.1
"""Mean cosine of words and network below which these are not of one space. A network in
another space has one of about 0, and the smallest preset reaches 0.4 in its own."""

_WORDS_AT_ONCE = 1024
_COMPARED = 2000


def combine_encoders(
    words: StaticEncoder,
    characters: CharEncoder,
    *,
    blend: float = 0.15,
    attention: Attention | None = DEFAULT_ATTENTION,
    keep: int | None = None,
    counts: NDArray[np.integer] | None = None,
    sub_dim: int | None = None,
    codebook_size: int | None = None,
    seed: int = 0,
    progress: StageProgress | None = None,
) -> CombinedEncoder:
    """Join a table of words and the character network that was trained on its vectors.

    With ``blend`` a word of the table becomes ``(1 - blend) * table + blend * network``. What
    the network makes of a right word is then a part of it, so that a misspelt one, of which
    there is the network's vector alone, comes nearer to it. A word of which the network knows
    no character stays as it is. The table is quantised anew after that, in the same basis:
    a codebook for templates stays good, and the network needs no other output.

    With ``attention`` what the network makes of an unknown word asks the table of words, and
    comes nearer to those that it is like: see :class:`TableAttention`. It costs no bytes.

    Args:
        words: The table; it stays as it is, and its n-grams are left out.
        characters: The network.
        blend: Share of the network in the words' vectors, from 0 to below 1.
        attention: Its settings; None for none.
        keep: Words to keep, the most frequent; None for all.
        counts: Occurrences of each word, ``[num_words]``; they weigh the words when codebooks
            are fitted. Without them the first words are the most frequent.
        sub_dim: Length of a sub-vector; None for that of the table, and a table of floats then
            stays one.
        codebook_size: Centroids of a codebook; None for those of the table, or 256.
        seed: Seed of the sample that codebooks are fitted on.
        progress: Called as the work goes on.

    Returns:
        The model. Its manifest has ``combination`` with ``blend``, ``keep`` and ``cosine``,
        the mean cosine of the table's 2,000 most frequent words to the network's vectors; a
        ``quality`` entry, measured on the words with their n-grams, is dropped.

    Raises:
        PocketIntentError: A setting makes no sense, or the parts differ in dimensions,
            tokenizer or space.
    """
    if not 0 <= blend < 1:
        raise PocketIntentError(f"blend is {blend}; it must be at least 0 and below 1")
    if keep is not None:
        ids = select_by_frequency(falling(words) if counts is None else counts, keep)
        words = prune_encoder(words, ids)
        counts = None if counts is None else counts[ids]
    plain = without_ngrams(words)
    CombinedEncoder(plain, characters)  # refuses parts that do not fit before work is done
    settings = _settings(words, sub_dim, codebook_size)
    num_read = len(plain.words) if blend else min(_COMPARED, len(plain.words))
    table = plain.words.decode().copy()  # a table of floats decodes to itself
    own = _embed(characters, plain.vocabulary.words[:num_read], progress)
    cosine = _mean_cosine(table[:_COMPARED], own[:_COMPARED])
    if cosine < LEAST_COSINE:
        raise PocketIntentError(
            f"the mean cosine of the words to the character network is {cosine:.2f}: it was "
            "trained on other vectors; train it with these words as its target"
        )
    if blend:
        known = own.any(axis=1)
        table[known] *= np.float32(1 - blend)
        table[known] += np.float32(blend) * own[known]
        plain = _with_table(plain, DenseMatrix(table))
    if settings is not None and (blend or settings != _settings(words, None, None)):
        plain = _quantise(plain, settings, counts, seed, progress)
    plain.manifest["combination"] = {"blend": blend, "keep": keep, "cosine": round(cosine, 4)}
    return CombinedEncoder(plain, characters, attention)


def _with_table(words: StaticEncoder, table: DenseMatrix) -> StaticEncoder:
    return StaticEncoder(
        words.vocabulary,
        table,
        tokenizer_spec=words.tokenizer_spec,
        template_quantizer=words.template_quantizer,
        manifest=words.manifest,
    )


def _embed(characters: CharEncoder, words: list[str], progress: StageProgress | None) -> FloatArray:
    vectors = np.empty((len(words), characters.dim), np.float32)
    for start in range(0, len(words), _WORDS_AT_ONCE):
        batch = words[start : start + _WORDS_AT_ONCE]
        vectors[start : start + len(batch)] = characters.embed_terms(batch)
        if progress is not None:
            progress("read words", start + len(batch), len(words))
    return vectors


def _mean_cosine(first: FloatArray, second: FloatArray) -> float:
    """Over the rows that are zeros in neither; 0 when there are none."""
    norms = np.linalg.norm(first, axis=1) * np.linalg.norm(second, axis=1)
    products = np.einsum("nd,nd->n", first, second)
    return float((products[norms > 0] / norms[norms > 0]).mean()) if norms.any() else 0.0


def _settings(
    words: StaticEncoder, sub_dim: int | None, codebook_size: int | None
) -> dict[str, Any] | None:
    """How the table is to be quantised; None for a table of floats that stays one."""
    if isinstance(words.words, QuantizedMatrix):
        quantizer = words.words.quantizer
        settings = {
            "sub_dim": quantizer.sub_dim if sub_dim is None else sub_dim,
            "codebook_size": quantizer.codebook_size if codebook_size is None else codebook_size,
            "per_position": quantizer.per_position,
            "normalised": quantizer.normalised,
        }
    elif sub_dim is None:
        if codebook_size is not None:
            raise PocketIntentError("codebook_size needs sub_dim for a table of floats")
        return None
    else:
        settings = {
            "sub_dim": sub_dim,
            "codebook_size": 256 if codebook_size is None else codebook_size,
        }
    if settings["sub_dim"] < 1 or words.dim % settings["sub_dim"]:
        raise PocketIntentError(
            f"sub_dim is {settings['sub_dim']}; it must divide the {words.dim} dimensions, since "
            "the character network has as many"
        )
    return settings


def _quantise(
    words: StaticEncoder,
    settings: dict[str, Any],
    counts: NDArray[np.integer] | None,
    seed: int,
    progress: StageProgress | None,
) -> StaticEncoder:
    before = words.manifest.get("compression", {})
    # No rotation: the network gives its vectors in the basis that the table has now.
    small = quantise_encoder(
        words, counts=counts, rotate=False, seed=seed, progress=progress, **settings
    )
    small.manifest["compression"]["rotate"] = before.get("rotate", False)
    return small
