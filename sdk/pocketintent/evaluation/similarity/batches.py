"""Encoding all texts of a file by any encoder, in batches of similar length."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.contract import Encoder

_TEXTS = 64  # of a batch


def encode_in_batches(encoder: Encoder, texts: Sequence[str]) -> FloatArray:
    """The vectors of texts, float32 [num_texts, dim], in the order of the texts.

    A transformer pads the texts of a batch to the longest and holds all their states, so a whole
    file in one batch would be slow and need gigabytes.

    Args:
        encoder: Any encoder.
        texts: At least one text.
    """
    order = sorted(range(len(texts)), key=lambda number: len(texts[number]))
    vectors = np.empty((len(texts), encoder.dim), np.float32)
    for start in range(0, len(order), _TEXTS):
        batch = order[start : start + _TEXTS]
        vectors[batch] = encoder.encode_batch([texts[number] for number in batch])
    return vectors
