"""The size report: the sizes of the parts of a model file."""

from __future__ import annotations

import os
from typing import Any

from pocketintent.compression.kinds import compression_of
from pocketintent.runtime.files.model_file import BOT, load_model

_WORDS = ("codes", "codebook", "norms", "embedding")
_OTHERS = ("vocabulary", "ngrams", "templates", "background", "network")


def size_report(path: str | os.PathLike[str]) -> dict[str, int]:
    """The bytes of the parts of a model or bot file; ModelFileError if it is missing or is none.

    They are the words' ``codes``, ``codebook``, ``norms`` and ``embedding`` (float32),
    ``vocabulary`` (the words and their counts), ``ngrams``, ``templates`` (their codebook),
    ``background`` and ``network``, of a bot file ``bot`` (what it has beyond its model), the
    ``rest`` (header and manifest), and the whole ``file``. Missing parts are 0.
    """
    model = load_model(path)
    sizes = dict.fromkeys((*_WORDS, *_OTHERS, *([BOT] if BOT in model.manifest else ())), 0)
    compression = compression_of(model.manifest["kind"])
    for name, tensor in model.tensors.items():
        group = compression.size_group(name)
        if group in sizes:
            sizes[group] += tensor.nbytes
    file = os.path.getsize(path)
    return {**sizes, "rest": file - sum(sizes.values()), "file": file}


def compare_sizes(
    before: dict[str, int], after: dict[str, int], *, float32_bytes: int
) -> dict[str, Any]:
    """The :func:`size_report` of a model before and after it was compressed, and their ``ratio``.

    The ratio is that of the ``file``, and of the remaining words' ``vectors``, which take
    ``float32_bytes`` in float32.
    """
    vectors = sum(after[part] for part in _WORDS)
    return {
        "bytes": after,
        "bytes_before": before,
        "float32_bytes": float32_bytes,
        "ratio": {"vectors": float32_bytes / vectors, "file": before["file"] / after["file"]},
    }
