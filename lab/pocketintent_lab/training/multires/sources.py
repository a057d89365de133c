"""Sources of word vectors in one or several layers, for the same tokens of a text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.files.model_file import is_model_file
from pocketintent.runtime.files.shipped_models import bundled_models
from pocketintent.training.teachers.encoders import TeacherPrecision, is_transformer
from pocketintent.training.vectors.reading import read_vectors
from pocketintent.training.vectors.table import to_encoder
from pocketintent_lab.encoders.tokens import embed_tokens
from pocketintent_lab.training.multires.layers import TransformerLayers


class Source(Protocol):
    """A model whose layers are resolutions of a word."""

    num_layers: int
    """Number of layers; 1 for a table of word vectors."""
    dim: int
    """Size of the vectors."""

    def read(self, token_lists: Sequence[Sequence[str]]) -> Iterator[FloatArray]:
        """Yield the vectors of each text's tokens, float32 [num_layers, num_tokens, dim].

        A token without a vector has zeros.
        """
        ...


class WordSource:
    """Vectors of words without context: those of a table, or of a network that reads characters.

    Args:
        encoder: An encoder of any kind.
    """

    num_layers = 1

    def __init__(self, encoder: ModelEncoder) -> None:
        self.dim = encoder.dim
        self._encoder = encoder
        self._vectors: dict[str, FloatArray] = {}

    def read(self, token_lists: Sequence[Sequence[str]]) -> Iterator[FloatArray]:
        """See :meth:`Source.read`."""
        for tokens in token_lists:
            rows = np.zeros((1, len(tokens), self.dim), np.float32)
            for number, token in enumerate(tokens):
                rows[0, number] = self._vector(token)
            yield rows

    def _vector(self, token: str) -> FloatArray:
        vector = self._vectors.get(token)
        if vector is None:
            rows = embed_tokens(self._encoder, [token])
            vector = rows[0] if len(rows) else np.zeros(self.dim, np.float32)
            self._vectors[token] = vector
        return vector


def open_source(
    path: str | Path, *, device: str = "cpu", precision: TeacherPrecision = "float32"
) -> Source:
    """Open a source of word vectors.

    Args:
        path: A pocketintent model or the name of a shipped model, a file of vectors, or the folder
            of a Hugging Face transformer.
        device: Torch device of a transformer.
        precision: Number type of a transformer's weights.

    Raises:
        PocketIntentError: There is nothing at the path that can be read.
        MissingExtraError: transformers or torch is not installed.
    """
    path = Path(path)
    if path.is_dir() and is_transformer(path):
        return TransformerLayers(path, device=device, precision=precision)
    if str(path) in bundled_models() or is_model_file(path):
        return WordSource(load_encoder(path))
    return WordSource(to_encoder(read_vectors(path)))
