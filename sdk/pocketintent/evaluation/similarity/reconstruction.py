"""A character encoder as a compressor: its rebuilt table of vectors against the original one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from pocketintent.evaluation.records import read_scored_pairs
from pocketintent.evaluation.similarity.sts import correlate
from pocketintent.evaluation.similarity.word_tables import (
    known_tokens,
    read_tokenizer_spec,
    table_encoder,
)
from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.charemb.encoder import CharEncoder
from pocketintent.runtime.encoders.registry import load_kind
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.vectors.reading import read_vectors
from pocketintent.training.vectors.table import TermVectors

_TERMS_AT_ONCE = 4096


def reconstruct(target: TermVectors, encoder: CharEncoder) -> TermVectors:
    """The table of a target's terms with the vectors that a character encoder gives them.

    Args:
        target: Words and terms; their vectors are not looked at.
        encoder: What gives the new ones, with the lengths that it has learnt; each term is read
            by itself, an underscore as a space.

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
    """STS by the mean of word vectors, of the original table and of the one that is rebuilt.

    This is Table 2 of «Extracting Text Representations for Terms and Phrases in Technical
    Domains» (IBM Research). Both tables have the same words, so that a token of a sentence is
    in both or in neither, and one that is in neither is skipped. Terms of several words are
    joined in the sentences first, see :func:`table_encoder`.

    Args:
        pairs_path: Lines of ``{"a": text, "b": text, "score": number}``.
        target_path: Vectors in any format of :func:`read_vectors`. Of a model of word vectors
            the table is read and its n-grams are left out.
        model_path: A model of kind ``charemb``.
        limit: Read the first so many rows of the target; None for all.

    Returns:
        ``{"pairs", "terms", "dim", "known_tokens", "cosine", "original", "reconstructed",
        "compression"}``: the share of the sentences' tokens that the tables have; the mean
        cosine of an original vector and its rebuilt one, over vectors that are not zero; both
        tables' ``{"pearson", "spearman"}``; and ``{"original_bytes", "model_bytes", "factor",
        "original_numbers", "model_numbers", "factor_numbers"}``, the first the table's numbers
        as float32, without its words, and the second the model's file.

    Raises:
        PocketIntentError: A file is bad, the model is of another kind or dimension, or there
            are fewer than two pairs.
    """
    model = load_kind(model_path, CharEncoder)
    pairs = read_scored_pairs(pairs_path)
    target = read_vectors(target_path, limit)
    if target.dim != model.dim:
        raise PocketIntentError(
            f"{model_path}: gives {model.dim} dimensions and {target_path} has {target.dim}; "
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
        "cosine": _mean_cosine(target.vectors, rebuilt.vectors),
        **{
            name: {key: found[key] for key in ("pearson", "spearman")}
            for name, encoder in (("original", original), ("reconstructed", reconstructed))
            for found in [correlate(encoder, pairs, pairs_path)]
        },
        "compression": _compression(target, model, Path(model_path)),
    }


def _mean_cosine(a: FloatArray, b: FloatArray) -> float:
    lengths = np.linalg.norm(a, axis=1).astype(np.float64) * np.linalg.norm(b, axis=1)
    products = np.einsum("nd,nd->n", a, b, dtype=np.float64)
    there = lengths > 0
    return float(np.mean(products[there] / lengths[there])) if there.any() else float("nan")


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
