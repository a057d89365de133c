"""Models of word vectors, and how often each word occurred."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError

COUNTS = "vocabulary.counts"
"""The tensor in which a trained model keeps how often each word occurred."""


def read_static_model(path: Path) -> tuple[StaticEncoder, NDArray[np.integer[Any]] | None]:
    """A model of word vectors, and how often each word occurred in training, where it says so.

    Raises:
        PocketIntentError: The file is no model, or one of another kind.
    """
    encoder = load_encoder(path)
    if not isinstance(encoder, StaticEncoder):
        raise PocketIntentError(
            f"{path}: only models of word vectors (kind 'static') are compressed"
        )
    return encoder, encoder.counts


def keep_frequent(
    encoder: StaticEncoder, counts: NDArray[np.integer[Any]] | None, keep: int
) -> tuple[StaticEncoder, NDArray[np.integer[Any]] | None]:
    """The encoder with its ``keep`` most frequent words, and their counts."""
    from pocketintent.compression.prune import prune_encoder, select_by_frequency
    from pocketintent.compression.quantise import falling

    ids = select_by_frequency(falling(encoder) if counts is None else counts, keep)
    return prune_encoder(encoder, ids), None if counts is None else counts[ids]
