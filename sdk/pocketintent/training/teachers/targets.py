"""Training targets: texts with the vectors that a small encoder learns for them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.teachers.texts import reduce_targets
from pocketintent.training.vectors.reading import read_vectors
from pocketintent.training.vectors.table import TermVectors


def read_targets(paths: Sequence[str | Path], limit: int | None = None) -> TermVectors:
    """Read and concatenate several files of vectors; duplicate texts are kept.

    Args:
        paths: The files, see :func:`pocketintent.training.vectors.reading.read_vectors`.
        limit: Number of texts to read from each file; None for all.

    Returns:
        The texts and their vectors, float32 [num_texts, dim].

    Raises:
        PocketIntentError: A file cannot be read, or the dimensions differ.
    """
    parts = [read_vectors(path, limit) for path in paths]
    for path, part in zip(paths, parts, strict=True):
        if part.dim != parts[0].dim:
            raise PocketIntentError(
                f"{path}: its vectors have dim {part.dim}, but {paths[0]} has dim {parts[0].dim}"
            )
    terms = [term for part in parts for term in part.terms]
    return TermVectors(terms, np.concatenate([part.vectors for part in parts]))


def principal_components(targets: TermVectors, dim: int) -> TermVectors:
    """The same texts with the principal components of their vectors; see :func:`reduce_targets`.

    Args:
        targets: The texts and their vectors, float32 [num_texts, full_dim].
        dim: Number of components, at most ``full_dim``.

    Returns:
        The texts and vectors float32 [num_texts, dim]: unit length, or zeros where a vector is
        zeros.
    """
    known = np.flatnonzero(targets.vectors.any(axis=1))
    reduced = np.zeros((len(targets), dim), np.float32)
    if len(known):
        vectors = targets.vectors if len(known) == len(targets) else targets.vectors[known]
        reduced[known] = reduce_targets(vectors, dim)
    return TermVectors(targets.terms, reduced)
