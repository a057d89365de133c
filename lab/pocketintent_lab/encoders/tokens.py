"""The vectors of the tokens of a text, and how a kind makes a sentence vector of them.

Both functions dispatch on the class of the encoder; the kinds of the laboratory register theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch

import numpy as np

from pocketintent.runtime.arrays import FloatArray, unit_rows
from pocketintent.runtime.encoders.charemb.encoder import CharEncoder
from pocketintent.runtime.encoders.combined import CombinedEncoder
from pocketintent.runtime.encoders.contextual.encoder import ContextualEncoder
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.encoders.sequence import MAX_TOKENS
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError


@singledispatch
def embed_tokens(encoder: ModelEncoder, tokens: Sequence[str]) -> FloatArray:
    """The vectors of tokens, in order, without any context and not normalised.

    Args:
        encoder: The encoder.
        tokens: The tokens.

    Returns:
        float32 [num_embedded, dim]; tokens that the encoder cannot embed are left out.

    Raises:
        PocketIntentError: The kind has no vectors of tokens.
    """
    raise PocketIntentError(f"a model of kind {encoder.kind!r} has no vectors of tokens")


@singledispatch
def combine_tokens(encoder: ModelEncoder, vectors: FloatArray) -> FloatArray:
    """The sentence vector of tokens, from their vectors as :func:`embed_tokens` returns them.

    Args:
        encoder: The encoder.
        vectors: float32 [num_tokens, dim], at least one token.

    Returns:
        float32 [dim], of unit length or zeros.

    Raises:
        PocketIntentError: The vectors of the tokens do not determine that of the text.
    """
    raise PocketIntentError(
        f"a model of kind {encoder.kind!r} cannot be adapted, since an adapter reads the vectors "
        "of its tokens; adapt a model of kind 'static' or 'contextual'"
    )


embed_tokens.register(StaticEncoder, StaticEncoder.embed_tokens)


@embed_tokens.register(ContextualEncoder)
def _embed_in_table(encoder: ContextualEncoder, tokens: Sequence[str]) -> FloatArray:
    return encoder.table.embed_tokens(tokens)


@embed_tokens.register(CharEncoder)
def _embed_by_characters(encoder: CharEncoder, tokens: Sequence[str]) -> FloatArray:
    vectors = encoder.embed_terms(tokens)
    return vectors[vectors.any(axis=1)]


@embed_tokens.register(CombinedEncoder)
def _embed_in_table_or_by_characters(encoder: CombinedEncoder, tokens: Sequence[str]) -> FloatArray:
    rows = np.zeros((len(tokens), encoder.dim), np.float32)
    for row, token in zip(rows, tokens, strict=True):
        known = encoder.words.embed_tokens([token])
        row[:] = known[0] if len(known) else encoder.embed_unknown([token])[0]
    return rows[rows.any(axis=1)]


@combine_tokens.register(StaticEncoder)
def _sum(encoder: StaticEncoder, vectors: FloatArray) -> FloatArray:
    vector: FloatArray = unit_rows(vectors.sum(axis=0, keepdims=True))[0]
    return vector


@combine_tokens.register(ContextualEncoder)
def _read(encoder: ContextualEncoder, vectors: FloatArray) -> FloatArray:
    vector: FloatArray = unit_rows(encoder.reader.read_vectors(vectors[:MAX_TOKENS])[None])[0]
    return vector
