"""Word counts in a model file: exact numbers, or one byte a word on a logarithmic scale."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.encoders.parts import manifest_entry
from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.files.model_file import ModelFile

COUNTS = "vocabulary.counts"
"""Name of the tensor with the word counts."""

ENTRY = "counts"
"""Manifest entry that says how the bytes are to be read; a file of exact counts has none."""

STEPS = 8
"""Steps of the scale from a count to its double, so that a rounded count is within 7 percent; the
scale then ends at 3.6 billion, just below the largest uint32."""

Counts = NDArray[np.integer[Any]]


def round_counts(counts: Counts) -> NDArray[np.uint32]:
    """Round counts to the scale: what a file with a byte for each count gives back.

    Args:
        counts: Whole numbers, [num_words].

    Returns:
        The rounded counts. Counts up to 13 are exact, others within 7 percent, and the
        order of two counts is never reversed. Rounding again changes nothing.
    """
    return _decode(_encode(counts), STEPS)


def add_counts(
    counts: Counts, compact: bool, manifest: dict[str, Any], tensors: dict[str, NDArray[Any]]
) -> None:
    """Add counts to the manifest and the tensors of a model file.

    Args:
        counts: Whole numbers, [num_words].
        compact: Whether to store them in one byte a word, rounded.
        manifest: The manifest to extend.
        tensors: The tensors to extend.
    """
    if compact:
        manifest[ENTRY] = {"coding": "log2", "steps": STEPS}
    tensors[COUNTS] = _encode(counts) if compact else counts


def read_counts(model: ModelFile) -> tuple[Counts | None, bool]:
    """The counts of a model file, and whether they are stored in one byte a word.

    Args:
        model: The model file.

    Returns:
        The counts as stored, or the rounded counts as uint32; None if the file has none.

    Raises:
        ModelFileError: The manifest's entry is damaged, or does not fit the tensor.
    """
    counts = model.tensors.get(COUNTS)
    if ENTRY not in model.manifest:
        return counts, False
    entry = manifest_entry(model.manifest, ENTRY)
    if counts is None or counts.dtype != np.uint8:
        raise ModelFileError(
            f"{COUNTS} must be uint8, since the manifest has {ENTRY!r}, "
            f"not {'missing' if counts is None else counts.dtype}"
        )
    return _decode(counts, _read_steps(entry)), True


def _read_steps(entry: Mapping[str, Any]) -> int:
    steps = entry.get("steps")
    if entry.get("coding") != "log2" or type(steps) is not int or not STEPS <= steps <= 255:
        raise ModelFileError(
            f"the manifest's {ENTRY!r} must have the coding 'log2' and {STEPS} to 255 steps"
        )
    return steps


def _encode(counts: Counts) -> NDArray[np.uint8]:
    """The byte of each count: 0 for 0, otherwise ``1 + STEPS * log2(count)``, rounded."""
    octaves = np.log2(np.maximum(counts, 1).astype(np.float64))
    codes = np.minimum(np.rint(1 + STEPS * octaves), 255)
    return np.where(counts > 0, codes, 0).astype(np.uint8)


def _decode(codes: NDArray[np.uint8], steps: int) -> NDArray[np.uint32]:
    scale = np.rint(2.0 ** ((np.arange(256) - 1) / steps))
    scale[0] = 0
    decoded: NDArray[np.uint32] = scale.astype(np.uint32)[codes]
    return decoded
