"""A character encoder as a compressor: its reconstructed table of vectors and the original."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from pocketintent.evaluation.records import read_pairs
from pocketintent.evaluation.similarity.sts import correlate
from pocketintent.runtime.arrays import FloatArray, mean_cosine
from pocketintent.runtime.encoders.charemb.encoder import CharEncoder
from pocketintent.runtime.encoders.registry import load_kind
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.vectors.reading import read_vectors
from pocketintent.training.vectors.table import TermVectors
from pocketintent_lab.evaluation.similarity.word_tables import (
    known_tokens,
    read_tokenizer_spec,
    table_encoder,
)

_TERMS_AT_ONCE = 4096


def reconstruct(target: TermVectors, encoder: CharEncoder) -> TermVectors:
    """Embed the terms of a table with a character encoder.

    Args:
        target: Words and terms; their vectors are not used.
        encoder: The encoder. Its vectors have the lengths that it has learnt; it reads each term
            separately, with underscores as spaces.

    Returns:
        The same terms, vectors float32 [num_terms, encoder.dim].
    """
    parts: list[FloatArray] = [
        encoder.embed_terms(target.terms[first : first + _TERMS_AT_ONCE])
        for first in range(0, len(target), _TERMS_AT_ONCE)
    ]
    return TermVectors(target.terms, np.concatenate(parts))


def evaluate_reconstruction(
    pairs_path: str | Path,
    target_path: str | Path,
    model_path: str | Path,
    *,
    limit: int | None = None,
) -> dict[str, Any]:
    """Measure STS by the mean of word vectors, of the original and of the reconstructed table.

    This is Table 2 of "Extracting Text Representations for Terms and Phrases in Technical
    Domains" (IBM Research). Both tables have the same words, so a token of a sentence is in both
    or in neither; tokens in neither are skipped. Terms of several words are joined in the
    sentences first, see :func:`table_encoder`.

    Args:
        pairs_path: Lines of ``{"a": text, "b": text, "score": number}``.
        target_path: Vectors in any format of :func:`read_vectors`; the n-grams of a model are
            ignored.
        model_path: A model of kind ``charemb``.
        limit: Maximum number of rows to read from the target; None for all.

    Returns:
        ``{"pairs", "terms", "dim", "known_tokens", "cosine", "original", "reconstructed",
        "compression"}``. ``known_tokens`` is the share of the sentences' tokens that the tables
        contain; ``cosine`` the mean cosine of original and reconstructed vectors, over vectors
        that are not zero; ``original`` and ``reconstructed`` are ``{"pearson", "spearman"}``;
        and ``compression`` is ``{"original_bytes", "model_bytes", "factor", "original_numbers",
        "model_numbers", "factor_numbers"}``, with the table's numbers as float32, without its
        words, against the model's file.

    Raises:
        PocketIntentError: A file is malformed, the model has another kind or dimension, or
            there are fewer than two pairs.
    """
    model = load_kind(model_path, CharEncoder)
    pairs = read_pairs(pairs_path)[0]
    target = read_vectors(target_path, limit)
    if target.dim != model.dim:
        raise PocketIntentError(
            f"{model_path}: has {model.dim} dimensions, but {target_path} has {target.dim}; "
            "give the vectors that the model was trained on"
        )
    rebuilt = reconstruct(target, model)
    spec = read_tokenizer_spec(target_path)
    original, reconstructed = (table_encoder(table, spec) for table in (target, rebuilt))
    return {
        "pairs": len(pairs),
        "terms": len(target),
        "dim": target.dim,
        "known_tokens": known_tokens(original, (text for p in pairs for text in (p.a, p.b))),
        "cosine": mean_cosine(target.vectors, rebuilt.vectors),
        **{
            name: {key: report[key] for key in ("pearson", "spearman")}
            for name, encoder in (("original", original), ("reconstructed", reconstructed))
            for report in [correlate(encoder, pairs, pairs_path)]
        },
        "compression": _compression(target, model, Path(model_path)),
    }


def _compression(target: TermVectors, model: CharEncoder, path: Path) -> dict[str, Any]:
    numbers = sum(weight.size for weight in model.weights.decode().values())
    model_bytes = path.stat().st_size
    return {
        "original_bytes": target.vectors.nbytes,
        "model_bytes": model_bytes,
        "factor": target.vectors.nbytes / model_bytes,
        "original_numbers": target.vectors.size,
        "model_numbers": numbers,
        "factor_numbers": target.vectors.size / numbers,
    }
