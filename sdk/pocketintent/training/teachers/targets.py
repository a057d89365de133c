"""Training targets: texts with the vectors that a small encoder is to give them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.vectors.files import TermVectors, read_vectors


def read_targets(paths: Sequence[str | Path], limit: int | None = None) -> TermVectors:
    """The texts of several files of vectors, one after the other; equal texts stay.

    Args:
        paths: The files, see :func:`pocketintent.training.vectors.files.read_vectors`.
        limit: Texts that are read of each file; None for all.

    Raises:
        PocketIntentError: A file cannot be read, or the dimensions differ.
    """
    parts = [read_vectors(path, limit) for path in paths]
    for path, part in zip(paths, parts, strict=True):
        if part.dim != parts[0].dim:
            raise PocketIntentError(
                f"{path}: its vectors have dim {part.dim}, those of {paths[0]} {parts[0].dim}"
            )
    terms = [term for part in parts for term in part.terms]
    return TermVectors(terms, np.concatenate([part.vectors for part in parts]))
