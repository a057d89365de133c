"""The options of an export, the packages that each format needs, and the tensors of a graph."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from importlib.metadata import version
from typing import Literal

from pocketintent import __version__
from pocketintent.runtime.errors import require

Format = Literal["onnx", "tflite"]
"""Format of the graphs."""

Scoring = Literal["decoded", "table"]
"""``"decoded"`` multiplies the query and the decoded templates, ``"table"`` sums up look-ups in a
table of similarities; the scores are the same."""


@dataclass(frozen=True)
class GraphTensor:
    """An input or an output of a graph, as the manifest describes it."""

    name: str
    dtype: Literal["int32", "float32"]
    shape: tuple[str | int, ...]
    """Sizes of the axes; a free axis has a name, ``"batch"`` or ``"length"``."""


PACKAGES = {
    "onnx": ("torch", "onnx", "onnxscript", "onnxruntime"),
    "tflite": ("torch", "litert_torch", "ai_edge_litert"),
}
"""Import names of the packages that each format needs."""


def check_packages(file_format: Format) -> None:
    """Raise a MissingExtraError, with the command, if a package of a format is missing."""
    for package in PACKAGES[file_format]:
        # The converters are not imported here, since their import takes seconds.
        if importlib.util.find_spec(package) is None:
            require(package, "export")


def package_versions(file_format: Format) -> dict[str, str]:
    """The versions of this package and of a format's packages, for the manifest."""
    names = [package.replace("_", "-") for package in PACKAGES[file_format]]
    return {"pocketintent": __version__} | {name: version(name) for name in names}
