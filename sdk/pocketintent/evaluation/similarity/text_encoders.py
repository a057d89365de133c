"""Encoders of whole texts side by side: means of word vectors, with terms or without, and models.

This is Table 3 of «Extracting Text Representations for Terms and Phrases in Technical Domains»
(IBM Research), on any pairs of texts with scores.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pocketintent.evaluation.records import ScoredPair
from pocketintent.evaluation.similarity.sts import correlate
from pocketintent.evaluation.similarity.word_tables import (
    has_terms,
    known_tokens,
    read_tokenizer_spec,
    table_encoder,
)
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.files.shipped_models import find_model
from pocketintent.training.vectors.reading import read_vectors


@dataclass(frozen=True)
class TextEncoder:
    """An encoder with what a comparison says of it."""

    name: str
    """The file as it was named."""
    kind: str
    """``table``, or the model's: ``static``, ``charemb``, ``combined``."""
    reads: str
    """``words``, ``words and terms`` (joined), or ``text`` where all is read at once."""
    encoder: ModelEncoder
    bytes: int
    """Of a table its numbers as float32, without the words; of a model its file."""


def read_tables(path: str | Path, limit: int | None = None) -> list[TextEncoder]:
    """The encoders that a table of vectors gives: its words, and with terms these joined.

    Args:
        path: Vectors in any format of :func:`read_vectors`; a model's n-grams are left out.
        limit: Read the first so many rows; None for all.

    Returns:
        One encoder, or two where the table has terms of several words: without and with them.

    Raises:
        PocketIntentError: The file is bad.
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
    """The encoders that a model file of any kind gives, or a shipped one's name.

    Returns:
        One encoder; of a CharEmb two, with the reading that its file names and with the other,
        since what it has learnt does not depend on it.

    Raises:
        ModelFileError: The file is bad.
    """
    file = find_model(path)
    encoder = load_encoder(file)
    size = file.stat().st_size
    return [
        TextEncoder(str(path), encoder.kind, reads, reading, size)
        for reads, reading in encoder.readings().items()
    ]


def compare_encoders(
    encoders: Sequence[TextEncoder],
    pairs: Sequence[ScoredPair],
    path: str | Path,
    progress: Callable[[str], None] = lambda name: None,
) -> list[dict[str, Any]]:
    """Correlate the cosines that each encoder gives to pairs of texts with their scores.

    A pair with a text that an encoder knows nothing of has a cosine of 0.

    Args:
        encoders: What to compare, see :func:`read_tables` and :func:`read_model`.
        pairs: The pairs.
        path: Where they are from, for messages.
        progress: Called with the name of each encoder that is done.

    Returns:
        For each encoder ``{"name", "kind", "reads", "pearson", "spearman", "known_tokens",
        "bytes"}``. ``known_tokens`` is the share of the texts' tokens that the vocabulary has,
        those of joined terms too; None for models that embed unknown words by their letters.

    Raises:
        PocketIntentError: There are fewer than two pairs.
    """
    rows = []
    for system in encoders:
        found = correlate(system.encoder, pairs, path)
        rows.append(
            {
                "name": system.name,
                "kind": system.kind,
                "reads": system.reads,
                "pearson": found["pearson"],
                "spearman": found["spearman"],
                "known_tokens": _known(system.encoder, pairs),
                "bytes": system.bytes,
            }
        )
        progress(system.name)
    return rows


def _known(encoder: ModelEncoder, pairs: Sequence[ScoredPair]) -> float | None:
    if encoder.embeds_unknown_words:
        return None
    return known_tokens(encoder, (text for pair in pairs for text in (pair.a, pair.b)))
