"""The size report: where the bytes of a model file go, and what changed."""

from __future__ import annotations

import os
from typing import Any

from pocketintent.runtime.encoders.registry import encoder_class
from pocketintent.runtime.files.model_file import load_model


def quality_change(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """Differences ``after - before`` of all floating-point figures of two equal structures."""
    change: dict[str, Any] = {}
    for key, value in before.items():
        if isinstance(value, dict):
            change[key] = quality_change(value, after[key])
        elif isinstance(value, float):
            change[key] = after[key] - value
    return change


def size_report(path: str | os.PathLike[str]) -> dict[str, int]:
    """Where the bytes of a model file go.

    Args:
        path: A model file.

    Returns:
        Bytes of ``codes``, ``codebook``, ``norms`` and ``embedding`` (float32) of the words,
        of ``vocabulary``, ``ngrams`` and ``templates``, of the ``network`` over characters, of
        the ``rest`` (header and manifest, counts of words), and of the whole ``file``. What a
        model does not have is 0.

    Raises:
        ModelFileError: The file is missing or no model.
    """
    words = ("codes", "codebook", "norms", "embedding")
    sizes = dict.fromkeys((*words, "vocabulary", "ngrams", "templates", "network"), 0)
    model = load_model(path)
    kind = encoder_class(model.manifest["kind"])
    for name, tensor in model.tensors.items():
        group = kind.size_group(name)
        if group in sizes:
            sizes[group] += tensor.nbytes
    file = os.path.getsize(path)
    return {**sizes, "rest": file - sum(sizes.values()), "file": file}


def compare_sizes(
    before: dict[str, int], after: dict[str, int], *, float32_bytes: int
) -> dict[str, Any]:
    """Sizes of a compressed model beside those of the model it was made from.

    Args:
        before: :func:`size_report` of the model that was compressed.
        after: :func:`size_report` of the compressed model.
        float32_bytes: What the kept words' vectors take in float32.

    Returns:
        ``bytes`` and ``bytes_before``, the two reports; ``float32_bytes``; and ``ratio``:
        ``vectors``, float32 against codes, codebook and norms, and ``file``, the one file
        against the other.
    """
    vectors = after["codes"] + after["codebook"] + after["norms"] + after["embedding"]
    return {
        "bytes": after,
        "bytes_before": before,
        "float32_bytes": float32_bytes,
        "ratio": {"vectors": float32_bytes / vectors, "file": before["file"] / after["file"]},
    }
