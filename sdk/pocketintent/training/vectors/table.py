"""A table of vectors: words and terms, and a sentence encoder from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pocketintent.runtime.arrays import FloatArray, IntArray
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.quantization.matrices import DenseMatrix
from pocketintent.runtime.text.tokenizer import SIMPLE_SPEC
from pocketintent.runtime.text.vocabulary import Vocabulary


@dataclass(frozen=True, eq=False)
class TermVectors:
    """Words and multi-word terms with their vectors.

    Attributes:
        terms: The terms; the words of a term are joined by underscores, `machine_learning`.
        vectors: Their vectors, float32 [num_terms, dim].

    Raises:
        PocketIntentError: The vectors are not a float32 matrix with a row for each term.
    """

    terms: list[str]
    vectors: FloatArray

    def __post_init__(self) -> None:
        shape = self.vectors.shape
        if self.vectors.dtype != np.float32 or len(shape) != 2 or shape[0] != len(self.terms):
            raise PocketIntentError(
                f"{len(self.terms)} terms need float32 vectors [{len(self.terms)}, dim], not "
                f"{self.vectors.dtype} {list(shape)}"
            )

    def __len__(self) -> int:
        return len(self.terms)

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return int(self.vectors.shape[1])


def to_encoder(
    vectors: TermVectors,
    *,
    tokenizer_spec: Mapping[str, Any] = SIMPLE_SPEC,
    counts: IntArray | None = None,
    manifest: Mapping[str, Any] | None = None,
) -> StaticEncoder:
    """Make an encoder: a text is the sum of its words' vectors, at unit length.

    Args:
        vectors: Words and terms. A term that the tokenizer never yields, such as one with an
            underscore or a capital letter, keeps its row but is never looked up.
        tokenizer_spec: The manifest's tokenizer entry; by default the tokenizer ``simple``.
        counts: How often each term occurred in training, int64 [num_terms], or None.
        manifest: Further manifest entries, such as ``training``.

    Returns:
        The encoder, ready for ``save_model(path, *encoder.to_model_file_parts())``.

    Raises:
        ModelFileError: A term is empty or occurs twice.
    """
    return StaticEncoder(
        Vocabulary(vectors.terms),
        DenseMatrix(vectors.vectors),
        tokenizer_spec=tokenizer_spec,
        counts=None if counts is None else counts.astype(np.uint32),
        manifest=manifest,
    )
