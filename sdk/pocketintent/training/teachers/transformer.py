"""Sentence encoders as Hugging Face transformers, on torch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from pocketintent.runtime.arrays import FloatArray, IntArray
from pocketintent.runtime.errors import PocketIntentError, require
from pocketintent.training.teachers.pooling import pool, read_pooling, to_unit

TeacherPrecision = Literal["float32", "bfloat16"]

_WEIGHTS = ("model*.safetensors", "pytorch_model*.bin")


class TransformerTeacher:
    """A sentence encoder as a Hugging Face transformer.

    Args:
        folder: Folder of the configuration, the weights and the tokenizer.
        device: Torch device.
        max_tokens: Longer texts are cut to this number of tokens.
        precision: Number type of the weights; ``bfloat16`` is two to three times as fast on a CPU
            with instructions for it, with cosines of .9998 to the vectors of ``float32``.

    Raises:
        PocketIntentError: The folder cannot be used.
        MissingExtraError: transformers or torch is not installed.
    """

    template_quantizer = None
    background = None
    known_words = None

    def __init__(
        self, folder: Path, *, device: str, max_tokens: int, precision: TeacherPrecision = "float32"
    ) -> None:
        self._torch: Any = require("torch", "train")
        self._pooling = read_pooling(folder)
        self._device = device
        self._tokenizer, self._model = load_transformer(folder, device, precision)
        positions = getattr(self._model.config, "max_position_embeddings", max_tokens)
        self._max_tokens = min(max_tokens, positions)
        self.dim = int(self._model.config.hidden_size)

    def vocabulary(self) -> list[str]:
        """The tokens that the teacher knows."""
        return list(self._tokenizer.get_vocab())

    def encode(self, text: str) -> FloatArray:
        """The vector of a text, float32 [dim]: unit length, or zeros for no tokens."""
        vector: FloatArray = self.encode_batch([text])[0]
        return vector

    def encode_batch(self, texts: Sequence[str]) -> FloatArray:
        """The vectors of several texts, float32 [num_texts, dim]."""
        if not texts:
            return np.zeros((0, self.dim), np.float32)
        encoded = self._tokenizer(
            list(texts),
            padding=True,
            truncation=True,
            max_length=self._max_tokens,
            return_tensors="pt",
        )
        if encoded["input_ids"].shape[1] == 0:
            return np.zeros((len(texts), self.dim), np.float32)
        with self._torch.inference_mode():
            states = self._model(**encoded.to(self._device)).last_hidden_state
        mask: IntArray = encoded["attention_mask"].cpu().numpy()
        return to_unit(pool(states.float().cpu().numpy(), mask, self._pooling))


def load_transformer(folder: Path, device: str, precision: TeacherPrecision) -> tuple[Any, Any]:
    """The tokenizer and the model of a folder, ready for inference; nothing is downloaded.

    Args:
        folder: Folder of the configuration, the weights and the tokenizer.
        device: Torch device.
        precision: Number type of the weights.

    Raises:
        PocketIntentError: transformers cannot read the folder.
        MissingExtraError: transformers or torch is not installed.
    """
    transformers, torch = require("transformers", "teacher"), require("torch", "train")
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
        model = transformers.AutoModel.from_pretrained(folder, local_files_only=True)
    except (OSError, ValueError, KeyError) as error:
        raise PocketIntentError(f"{folder}: transformers cannot read it: {error}") from error
    return tokenizer, model.to(device, getattr(torch, precision)).eval()


def is_transformer(folder: Path) -> bool:
    """Whether a folder contains a transformer's configuration and weights."""
    return (folder / "config.json").is_file() and any(
        any(folder.glob(pattern)) for pattern in _WEIGHTS
    )
