"""Comparison of text encoders: means of word vectors, with or without terms, and models.

This is Table 3 of "Extracting Text Representations for Terms and Phrases in Technical Domains"
(IBM Research), on any scored pairs of texts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pocketintent.compression.kinds import tables_of
from pocketintent.evaluation.records import ScoredPair
from pocketintent.evaluation.similarity.sts import correlate
from pocketintent.runtime.encoders.charemb.encoder import CharEncoder, Reading
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.files.shipped_models import find_model
from pocketintent.training.vectors.reading import read_vectors
from pocketintent_lab.encoders.convrr.encoder import ConvrrEncoder
from pocketintent_lab.evaluation.similarity.word_tables import (
    has_terms,
    known_tokens,
    read_tokenizer_spec,
    table_encoder,
)


@dataclass(frozen=True)
class TextEncoder:
    """An encoder and its description in a comparison."""

    name: str
    """The file as given by the caller."""
    kind: str
    """``table``, or the kind of the model: ``static``, ``charemb``, ``combined``."""
    reads: str
    """``words``, ``words and terms`` (joined), or ``text`` if the whole text is read at once."""
    encoder: ModelEncoder
    bytes: int
    """Size of a table's numbers as float32, without the words, or of a model's file."""


def read_tables(path: str | Path, limit: int | None = None) -> list[TextEncoder]:
    """Read a table of vectors as an encoder of words and, if it has terms, also of joined terms.

    Args:
        path: Vectors in any format of :func:`read_vectors`; the n-grams of a model are ignored.
        limit: Maximum number of rows to read; None for all.

    Returns:
        One encoder; two if the table has terms of several words, without and with them.

    Raises:
        PocketIntentError: The file is malformed.
    """
    vectors = read_vectors(path, limit)
    spec = read_tokenizer_spec(path)
    readings = [("words", False)] + [("words and terms", True)] * has_terms(vectors)
    return [
        TextEncoder(
            str(path),
            "table",
            reads,
            table_encoder(vectors, spec, join_terms=join),
            vectors.vectors.nbytes,
        )
        for reads, join in readings
    ]


def read_model(path: str | Path) -> list[TextEncoder]:
    """Read a model of any kind, given by its file or by the name of a shipped model.

    Returns:
        One encoder for each way in which the model can read a text, its own way first: two for
        a CharEmb, since its weights do not depend on it.

    Raises:
        ModelFileError: The file is malformed.
    """
    file = find_model(path)
    encoder = load_encoder(file)
    size = file.stat().st_size
    return [
        TextEncoder(str(path), encoder.kind, reads, reading, size)
        for reads, reading in _readings(encoder).items()
    ]


def _readings(encoder: ModelEncoder) -> dict[str, ModelEncoder]:
    """The encoder by the way in which it reads a text, its own way first."""
    if not isinstance(encoder, CharEncoder):
        return {"words": encoder}
    other: Reading = "words" if encoder.reads == "text" else "text"
    return {encoder.reads: encoder, other: encoder.replace(reads=other)}


def compare_encoders(
    encoders: Sequence[TextEncoder],
    pairs: Sequence[ScoredPair],
    path: str | Path,
    progress: Callable[[str], None] = lambda name: None,
) -> list[dict[str, Any]]:
    """Correlate the cosines of each encoder with the scores of text pairs.

    If either text of a pair has no known word, its cosine is 0.

    Args:
        encoders: The encoders, see :func:`read_tables` and :func:`read_model`.
        pairs: The pairs.
        path: Their file, for error messages.
        progress: Called with the name of each encoder when it is done.

    Returns:
        For each encoder ``{"name", "kind", "reads", "pearson", "spearman", "known_tokens",
        "bytes"}``. ``known_tokens`` is the share of the texts' tokens in the vocabulary,
        including the words of joined terms; None for models that embed unknown words.

    Raises:
        PocketIntentError: There are fewer than two pairs.
    """
    rows = []
    for system in encoders:
        correlations = correlate(system.encoder, pairs, path)
        rows.append(
            {
                "name": system.name,
                "kind": system.kind,
                "reads": system.reads,
                "pearson": correlations["pearson"],
                "spearman": correlations["spearman"],
                "known_tokens": _known_share(system.encoder, pairs),
                "bytes": system.bytes,
            }
        )
        progress(system.name)
    return rows


def _known_share(encoder: ModelEncoder, pairs: Sequence[ScoredPair]) -> float | None:
    inner = encoder.inner if isinstance(encoder, ConvrrEncoder) else encoder
    if "ngrams" in tables_of(inner):
        return None
    return known_tokens(encoder, (text for pair in pairs for text in (pair.a, pair.b)))
