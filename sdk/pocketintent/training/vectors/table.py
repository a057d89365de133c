"""A table of vectors: words and terms, and a sentence encoder from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from pocketintent.runtime.arrays import FloatArray, IntArray
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError, install_command
from pocketintent.runtime.plugins import installed_plugins
from pocketintent.runtime.quantization.matrices import DenseMatrix
from pocketintent.runtime.text.ngrams import NgramSettings
from pocketintent.runtime.text.tokenizer import SIMPLE_SPEC
from pocketintent.runtime.text.vocabulary import Vocabulary


@dataclass(frozen=True, eq=False)
class Subwords:
    """Vectors of hashed character n-grams, whose mean is the vector of an unknown word.

    They are float32 [num_buckets, dim], perhaps a read-only view of a memory map.
    """

    vectors: FloatArray
    settings: NgramSettings

    def __post_init__(self) -> None:
        _check_matrix(self.vectors, self.settings.num_buckets, "n-gram buckets")


@dataclass(frozen=True, eq=False)
class TermVectors:
    """Words and multi-word terms with their vectors, and n-grams that embed other words."""

    terms: list[str]  # the words of a term are joined by underscores, `machine_learning`
    vectors: FloatArray  # float32 [num_terms, dim]
    subwords: Subwords | None = None  # None if unknown words have no vector

    def __post_init__(self) -> None:
        _check_matrix(self.vectors, len(self.terms), "terms")
        if self.subwords is not None and self.subwords.vectors.shape[1] != self.dim:
            raise PocketIntentError(
                f"the terms have {self.dim} dimensions, but the n-grams have "
                f"{self.subwords.vectors.shape[1]}"
            )

    def __len__(self) -> int:
        return len(self.terms)

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return int(self.vectors.shape[1])


def _check_matrix(vectors: FloatArray, num_rows: int, what: str) -> None:
    if vectors.dtype != np.float32 or vectors.ndim != 2 or len(vectors) != num_rows:
        raise PocketIntentError(
            f"{num_rows} {what} need float32 vectors [{num_rows}, dim], not "
            f"{vectors.dtype} {list(vectors.shape)}"
        )


HINT = (
    "The files of fastText, Sent2Vec, floret and gensim need the laboratory: "
    f"{install_command(folder='./lab')}"
)
"""What to do about a format that nothing installed reads."""


@dataclass(frozen=True)
class VectorFormat:
    """A format of files of vectors that another distribution adds.

    An entry point of the group ``pocketintent.vector_formats`` names an instance.
    """

    name: str
    """Its name in messages."""
    matches: Callable[[bytes], bool]
    """Whether a file that begins with these bytes, 64 KiB or all of it, has the format."""
    read: Callable[..., TermVectors]
    """Reads an open file, unpacked as it is read: ``(file, path, limit, *, packed, subwords)``, see
    :func:`read_vectors`."""
    suffix: str | None = None
    """The suffix of the files that ``write`` makes, which may also be packed as ``.gz``."""
    write: Callable[[BinaryIO, Path, TermVectors], None] | None = None
    """Writes the vectors to an open file; the path is for messages."""


def installed_formats() -> list[VectorFormat]:
    """The formats that other distributions add."""
    plugins = installed_plugins("pocketintent.vector_formats")
    return [plugins[name].load() for name in sorted(plugins)]


def to_encoder(
    vectors: TermVectors,
    *,
    tokenizer_spec: Mapping[str, Any] = SIMPLE_SPEC,
    counts: IntArray | None = None,
    manifest: Mapping[str, Any] | None = None,
) -> StaticEncoder:
    """Make an encoder: a text is the sum of its words' vectors, at unit length.

    A term that the tokenizer never yields, such as one with an underscore or a capital letter,
    keeps its row but is never looked up. Any subwords embed the words without a row.
    ``tokenizer_spec`` is the manifest's entry, by default of the tokenizer ``simple``; ``counts``
    say how often each term occurred in training, int64 [num_terms]; ``manifest`` has further
    entries, such as ``training``. ModelFileError if a term is empty or occurs twice.
    """
    subwords = vectors.subwords
    return StaticEncoder(
        Vocabulary(vectors.terms),
        DenseMatrix(vectors.vectors),
        tokenizer_spec=tokenizer_spec,
        counts=None if counts is None else counts.astype(np.uint32),
        ngrams=None if subwords is None else DenseMatrix(subwords.vectors),
        ngram_settings=None if subwords is None else subwords.settings,
        manifest=manifest,
    )
