"""The choices of an export: file format and scoring, and the packages that each format needs."""

from __future__ import annotations

import importlib.util
from importlib.metadata import version
from typing import Literal

from pocketintent import __version__
from pocketintent.runtime.errors import require

Format = Literal["onnx", "tflite"]
"""Format of the graphs."""

Scoring = Literal["decoded", "table"]
"""``"decoded"`` multiplies the decoded templates, ``"table"`` sums look-ups in a table of
similarities; the scores are the same."""

PACKAGES = {
    "onnx": ("torch", "onnx", "onnxscript", "onnxruntime"),
    "tflite": ("torch", "litert_torch", "ai_edge_litert"),
}
"""Packages that each format needs, by the name under which they are imported."""


def check_packages(file_format: Format) -> None:
    """Check that the packages of a format are installed.

    Raises:
        MissingExtraError: One is missing; the message has the command that installs it.
    """
    for package in PACKAGES[file_format]:
        # Found, not imported: the converters take seconds to import.
        if importlib.util.find_spec(package) is None:
            require(package, "export")


def package_versions(file_format: Format) -> dict[str, str]:
    """The versions that a manifest records: this package's, and those of a format's packages."""
    names = [package.replace("_", "-") for package in PACKAGES[file_format]]
    return {"pocketintent": __version__} | {name: version(name) for name in names}
