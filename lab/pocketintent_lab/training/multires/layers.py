"""The hidden layers of a Hugging Face transformer as resolutions of words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.errors import PocketIntentError, require
from pocketintent.training.teachers.encoders import TeacherPrecision, load_transformer

WORDS_AT_ONCE = 200
"""Words that the transformer reads together; a longer text is read in parts."""

_PARTS_AT_ONCE = 16


class TransformerLayers:
    """The hidden states of all layers, from the embedding layer, number 0, to the last.

    The vector of a word in a layer is the mean of the states of its pieces. A word whose pieces
    exceed the positions of the model has zeros.

    Args:
        folder: Folder of the configuration, the weights and the tokenizer.
        device: Torch device.
        precision: Number type of the weights.

    Raises:
        PocketIntentError: The folder cannot be used, or its tokenizer cannot tell which pieces
            belong to a word.
        MissingExtraError: transformers or torch is not installed.
    """

    def __init__(
        self, folder: Path, *, device: str = "cpu", precision: TeacherPrecision = "float32"
    ) -> None:
        self._torch: Any = require("torch", "train")
        self._tokenizer, self._model = load_transformer(folder, device, precision)
        if not getattr(self._tokenizer, "is_fast", False):
            raise PocketIntentError(
                f"{folder}: the tokenizer must be a fast one, with a file tokenizer.json"
            )
        self._device = device
        config = self._model.config
        self._max_pieces = getattr(config, "max_position_embeddings", 512)
        self.num_layers = int(config.num_hidden_layers) + 1
        self.dim = int(config.hidden_size)

    def read(self, token_lists: Sequence[Sequence[str]]) -> Iterator[FloatArray]:
        """Yield the layers of each text, float32 [num_layers, num_tokens, dim]."""
        parts = [
            (text, list(tokens[start : start + WORDS_AT_ONCE]))
            for text, tokens in enumerate(token_lists)
            for start in range(0, len(tokens), WORDS_AT_ONCE)
        ]
        finished: list[FloatArray] = []
        current = 0
        for first in range(0, len(parts), _PARTS_AT_ONCE):
            batch = parts[first : first + _PARTS_AT_ONCE]
            states = self._read_parts([tokens for _, tokens in batch])
            for (text, _), layers in zip(batch, states, strict=True):
                while current < text:
                    yield self._whole(finished)
                    finished, current = [], current + 1
                finished.append(layers)
        for _ in range(current, len(token_lists)):
            yield self._whole(finished)
            finished = []

    def _whole(self, parts: Sequence[FloatArray]) -> FloatArray:
        """The layers of a text from those of its parts."""
        if not parts:
            return np.zeros((self.num_layers, 0, self.dim), np.float32)
        return np.concatenate(parts, axis=1)

    def _read_parts(self, parts: Sequence[Sequence[str]]) -> list[FloatArray]:
        encoded = self._tokenizer(
            parts,
            is_split_into_words=True,
            padding=True,
            truncation=True,
            max_length=self._max_pieces,
            return_tensors="pt",
        )
        with self._torch.inference_mode():
            output = self._model(**encoded.to(self._device), output_hidden_states=True)
            states = self._torch.stack(output.hidden_states).float().cpu().numpy()
        return [
            _word_means(states[:, row], encoded.word_ids(row), len(tokens))
            for row, tokens in enumerate(parts)
        ]


def _word_means(states: FloatArray, word_ids: Sequence[int | None], num_words: int) -> FloatArray:
    """The means of the pieces of each word, float32 [num_layers, num_words, dim].

    Args:
        states: float32 [num_layers, num_pieces, dim].
        word_ids: The word of each piece; None for a piece of no word.
        num_words: Number of words.
    """
    shares = np.zeros((num_words, len(word_ids)), np.float32)
    for piece, word in enumerate(word_ids):
        if word is not None:
            shares[word, piece] = 1
    shares /= shares.sum(axis=1, keepdims=True).clip(1)
    means: FloatArray = np.matmul(shares, states)
    return means
