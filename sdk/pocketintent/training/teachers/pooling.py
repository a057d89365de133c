"""From the states of a text's tokens to one sentence vector."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
import orjson

from pocketintent.runtime.arrays import FloatArray, IntArray
from pocketintent.runtime.errors import PocketIntentError

Pooling = Literal["mean", "cls"]
"""``mean`` of the tokens' states, or the state of the first token, ``cls``."""


def pool(states: FloatArray, mask: IntArray, pooling: Pooling) -> FloatArray:
    """Reduce the states of each text's tokens to one vector.

    Args:
        states: Last states of the tokens, float32 [num_texts, length, dim].
        mask: 1 for a token and 0 for padding, int64 [num_texts, length].
        pooling: How to pool.

    Returns:
        float32 [num_texts, dim]; zeros for a text without tokens.
    """
    weights = mask.astype(np.float32)
    if pooling == "cls":
        weights[:, 1:] = 0.0
    counts = weights.sum(axis=1, keepdims=True).clip(1.0)
    pooled: FloatArray = np.einsum("btd,bt->bd", states, weights / counts).astype(np.float32)
    return pooled


def to_unit(vectors: FloatArray) -> FloatArray:
    """Scale vectors to unit length; zeros stay zeros.

    ``unit_rows`` of the runtime sums in another order, and its last bit differs from that of
    the targets on which the shipped models were trained.

    Args:
        vectors: float32 [num_texts, dim].

    Returns:
        float32 [num_texts, dim].
    """
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: FloatArray = vectors / np.where(norms > 0, norms, np.float32(1.0))
    return unit


def read_pooling(folder: Path) -> Pooling:
    """Read from a sentence-transformers folder how its model pools.

    Args:
        folder: The folder; ``1_Pooling/config.json`` and ``modules.json`` are optional.

    Returns:
        The pooling; ``mean`` where the folder names none.

    Raises:
        PocketIntentError: The pooling is another one, or a dense layer follows it.
    """
    modules = _read_json(folder / "modules.json", [])
    types = [str(module.get("type", "")) for module in modules if isinstance(module, dict)]
    if dense := [name for name in types if name.endswith(".Dense")]:
        raise PocketIntentError(f"{folder}: the layer {dense[0]} after pooling is not supported")
    config = _read_json(folder / "1_Pooling" / "config.json", {})
    modes = [
        key.removeprefix("pooling_mode_")
        for key, value in config.items()
        if key.startswith("pooling_mode_") and value is True
    ] or ["mean_tokens"]
    if modes == ["cls_token"]:
        return "cls"
    if modes != ["mean_tokens"]:
        raise PocketIntentError(
            f"{folder}: pooling by {', '.join(modes)} is not supported; mean_tokens and cls_token "
            "are"
        )
    return "mean"


def _read_json(path: Path, default: Any) -> Any:
    """The content of a JSON file, of the type of ``default``, which replaces a missing file."""
    if not path.is_file():
        return default
    try:
        content = orjson.loads(path.read_bytes())
    except orjson.JSONDecodeError as error:
        raise PocketIntentError(f"{path}: not JSON: {error}") from error
    if not isinstance(content, type(default)):
        expected = "object" if isinstance(default, dict) else "array"
        raise PocketIntentError(f"{path}: the content must be a JSON {expected}")
    return content
