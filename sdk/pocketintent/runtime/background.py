"""Background: lines of a corpus as examples of texts that have none of a bot's intents.

Imports ``runtime.quantization`` and ``runtime.text``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray, read_tensor
from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.quantization.matrices import Matrix
from pocketintent.runtime.quantization.tensors import matrix_from_tensors, matrix_parts
from pocketintent.runtime.text.ngram_counts import NUM_BUCKETS

ENTRY = "background"
"""Name of the manifest entry, and first part of the tensors' names."""


@dataclass(frozen=True, eq=False)
class Background:
    """Features of lines that a bot should not answer, and the weights of hashed n-grams.

    The lines themselves are not stored. ModelFileError if the parts do not fit each other.
    """

    vectors: Matrix
    """Sentence vectors of the lines, [num_lines, dim]."""
    ngrams: Matrix
    """Weighted n-gram counts of the lines at unit length, [num_lines, NUM_BUCKETS]."""
    idf: FloatArray
    """float32 [NUM_BUCKETS]: inverse document frequency of each bucket in the corpus."""

    def __post_init__(self) -> None:
        if self.idf.shape != (NUM_BUCKETS,) or not np.isfinite(self.idf).all():
            raise ModelFileError(
                f"{ENTRY}.idf must be {NUM_BUCKETS} finite numbers, not {self.idf.shape}"
            )
        if len(self.vectors) != len(self.ngrams) or self.ngrams.dim != NUM_BUCKETS:
            raise ModelFileError(
                f"the background has {len(self.vectors)} vectors and n-grams of the shape "
                f"[{len(self.ngrams)}, {self.ngrams.dim}]; a row of {NUM_BUCKETS} is expected for "
                "each vector"
            )

    def __len__(self) -> int:
        return len(self.vectors)

    @property
    def dim(self) -> int:
        """Size of the sentence vectors."""
        return self.vectors.dim

    def add_to(self, manifest: dict[str, Any], tensors: dict[str, NDArray[Any]]) -> None:
        """Add the background to the manifest and the tensors of a model file."""
        entry = manifest[ENTRY] = {}
        for name, matrix in (("vectors", self.vectors), ("ngrams", self.ngrams)):
            entry[name], of_matrix = matrix_parts(matrix, f"{ENTRY}.{name}")
            tensors |= of_matrix
        tensors[f"{ENTRY}.idf"] = self.idf.astype(np.float16)

    @classmethod
    def read(
        cls, manifest: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]
    ) -> Background | None:
        """The background of a model file, if any; ModelFileError if it is damaged."""
        entry = manifest.get(ENTRY)
        if entry is None:
            return None
        if not isinstance(entry, dict):
            raise ModelFileError(f"the manifest has no object {ENTRY!r}")
        vectors, ngrams = (
            matrix_from_tensors(tensors, f"{ENTRY}.{name}", entry.get(name))
            for name in ("vectors", "ngrams")
        )
        idf = read_tensor(tensors, f"{ENTRY}.idf", ["float16"], (NUM_BUCKETS,))
        return cls(vectors, ngrams, idf.astype(np.float32))


def check_background(background: Background | None, dim: int) -> None:
    """Raise ModelFileError if there is a background that does not have ``dim`` dimensions."""
    if background is not None and background.dim != dim:
        raise ModelFileError(
            f"the background has {background.dim} dimensions, but the model has {dim}"
        )
