"""Parts of a model file that several encoder kinds share: entries, template codebook, word counts.

Word counts are exact numbers, or one byte a word on a logarithmic scale.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.files.model_file import ModelFile
from pocketintent.runtime.quantization.quantizer import Quantizer

Counts = NDArray[np.integer[Any]]

_FILE_ENTRIES = ("format_version", "sha256", "labels")
"""Manifest entries that describe the file and not the encoder; ``labels`` are those of training,
which files of earlier versions have with a vector each."""

TEMPLATE_CODEBOOK, COUNTS = "templates.codebook", "vocabulary.counts"
"""Names of the tensors with the template codebook and the word counts."""

COUNTS_ENTRY = "counts"
"""Manifest entry that says how the bytes are to be read; a file of exact counts has none."""

STEPS = 8
"""Steps of the scale from a count to its double, so that a rounded count is within 7 percent; the
scale then ends at 3.6 billion, just below the largest uint32."""


def manifest_entry(manifest: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """An entry of a manifest that is a JSON object; ModelFileError if it is none."""
    entry = manifest.get(key)
    if not isinstance(entry, dict):
        raise ModelFileError(f"the manifest has no object {key!r}")
    return entry


def encoder_entries(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """The entries of a manifest that describe the encoder and not the file."""
    return {key: value for key, value in manifest.items() if key not in _FILE_ENTRIES}


def check_dim(manifest: Mapping[str, Any], dim: int, what: str) -> None:
    """Raise ModelFileError unless the manifest has ``dim``, as ``what`` such as "network has"."""
    if manifest.get("dim") != dim:
        raise ModelFileError(
            f"the manifest has dim {manifest.get('dim')!r}, but the {what} {dim} dimensions"
        )


def read_template_quantizer(model: ModelFile, dim: int) -> Quantizer | None:
    """The template codebook of a model file, if any; ModelFileError if it is damaged."""
    codebook = model.tensors.get(TEMPLATE_CODEBOOK)
    if codebook is None:
        return None
    if codebook.dtype != np.float16 or codebook.ndim != 3 or not np.isfinite(codebook).all():
        raise ModelFileError(
            f"{TEMPLATE_CODEBOOK} must be finite float16 [num_codebooks, codebook_size, sub_dim], "
            f"not {codebook.dtype} {codebook.shape}"
        )
    return Quantizer(codebook.astype(np.float32), dim, normalised=False)


def add_template_quantizer(
    quantizer: Quantizer, manifest: dict[str, Any], tensors: dict[str, NDArray[Any]]
) -> None:
    """Add a template codebook to the manifest and the tensors of a model file."""
    codebook = quantizer.codebook
    manifest["template_quantizer"] = dict(
        zip(("num_codebooks", "codebook_size", "sub_dim"), codebook.shape, strict=True)
    )
    tensors[TEMPLATE_CODEBOOK] = codebook.astype(np.float16)


def round_counts(counts: Counts) -> NDArray[np.uint32]:
    """Counts as a file with a byte for each gives them back: exact to 13, others within 7 percent.

    The order of two counts is never reversed, and rounding again changes nothing.
    """
    return _decode(_encode(counts), STEPS)


def add_counts(
    counts: Counts, compact: bool, manifest: dict[str, Any], tensors: dict[str, NDArray[Any]]
) -> None:
    """Add counts, [num_words], to a model file; ``compact`` ones take a byte each, rounded."""
    if compact:
        manifest[COUNTS_ENTRY] = {"coding": "log2", "steps": STEPS}
    tensors[COUNTS] = _encode(counts) if compact else counts


def read_counts(model: ModelFile) -> tuple[Counts | None, bool]:
    """The counts of a model file, if any, and whether they are stored in one byte a word.

    A damaged entry of the manifest, or one that does not fit the tensor, is a ModelFileError.
    """
    counts = model.tensors.get(COUNTS)
    if COUNTS_ENTRY not in model.manifest:
        return counts, False
    entry = manifest_entry(model.manifest, COUNTS_ENTRY)
    if counts is None or counts.dtype != np.uint8:
        found = "missing" if counts is None else counts.dtype
        why = f"since the manifest has {COUNTS_ENTRY!r}"
        raise ModelFileError(f"{COUNTS} must be uint8, {why}, not {found}")
    steps = entry.get("steps")
    if entry.get("coding") != "log2" or type(steps) is not int or not STEPS <= steps <= 255:
        raise ModelFileError(
            f"the manifest's {COUNTS_ENTRY!r} must have the coding 'log2' and {STEPS} to 255 steps"
        )
    return _decode(counts, steps), True


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
