"""The models that ship with the package, and the file that a model's name refers to."""

from __future__ import annotations

import os
from pathlib import Path

from pocketintent.runtime.errors import ModelFileError

DEFAULT = "default"
"""Name of the model that is used by default."""

_ASSETS = Path(__file__).resolve().parents[2] / "assets"


def bundled_models() -> dict[str, Path]:
    """The models that ship with the package: name to file, in alphabetical order."""
    return {file.stem: file for file in sorted(_ASSETS.glob("*.safetensors"))}


def find_model(source: str | os.PathLike[str] | None = None) -> Path:
    """The file of a path or a shipped model's name (None: the default); a file wins.

    ModelFileError if there is neither.
    """
    shipped = bundled_models()
    if source is None:
        return shipped[DEFAULT]
    path = Path(source)
    if path.exists() and not path.is_dir():
        return path
    if str(source) in shipped:
        return shipped[str(source)]
    if str(source) and path.is_dir():
        raise ModelFileError(
            f"{path} is a folder; a folder made by `pocketintent export` is opened with a backend, "
            "onnxruntime or tflite"
        )
    raise ModelFileError(
        f"{path}: there is no such model file, and no shipped model of this name; shipped: "
        f"{', '.join(shipped)}"
    )
