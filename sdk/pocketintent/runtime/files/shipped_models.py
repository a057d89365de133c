"""The models that come with the package, and what a model's name stands for."""

from __future__ import annotations

import os
from pathlib import Path

from pocketintent.runtime.errors import ModelFileError

DEFAULT = "default"
"""Name of the model that is used when none is named."""

_ASSETS = Path(__file__).resolve().parents[2] / "assets"


def bundled_models() -> dict[str, Path]:
    """The models that come with the package: name to file, by name."""
    return {file.stem: file for file in sorted(_ASSETS.glob("*.safetensors"))}


def find_model(source: str | os.PathLike[str] | None = None) -> Path:
    """The file that a path or the name of a shipped model stands for; a file wins over a name.

    Args:
        source: A path, the name of a shipped model such as ``"robust"``, or None for the
            default model.

    Raises:
        ModelFileError: There is no such file and no shipped model of this name.
    """
    shipped = bundled_models()
    if source is None:
        return shipped[DEFAULT]
    path = Path(source)
    if path.is_file():
        return path
    if str(source) in shipped:
        return shipped[str(source)]
    if str(source) and path.is_dir():
        raise ModelFileError(
            f"{path} is a folder; one that `pocketintent export` made is opened with a backend, "
            "onnxruntime or tflite"
        )
    raise ModelFileError(
        f"{path}: there is no such model file, and no shipped model of this name; shipped: "
        f"{', '.join(shipped)}"
    )
