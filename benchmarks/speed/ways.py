"""The ways to run a recogniser that ``backends.py`` compares, behind one interface."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from pocketintent.recognizer import IntentRecognizer
from pocketintent.runtime.graphs.encoder import GraphEncoder
from pocketintent.runtime.graphs.folder import open_exported

FORMATS = {"onnxruntime": "onnx", "tflite": "tflite"}
SCORINGS = ("decoded", "table")
BACKENDS = ("numpy", *FORMATS)
GRAPHS = tuple(f"{name}-{scoring}" for name in FORMATS.values() for scoring in SCORINGS)
WAYS = (*BACKENDS, *GRAPHS)
"""``IntentRecognizer.load`` on each backend, and the recogniser graph of each format alone."""


class Way(Protocol):
    """A recogniser that is ready to run."""

    def match(self, text: str) -> str:
        """The nearest intent, whatever its score; empty when no word is known."""
        ...


class Backend:
    """A recogniser of the package: it encodes the templates when it is loaded."""

    def __init__(self, backend: Any, model: Path | None, templates: Path) -> None:
        self._match = IntentRecognizer.load(templates, model, backend=backend).match

    def match(self, text: str) -> str:
        """The nearest intent; see :meth:`Way.match`."""
        return self._match(text).nearest or ""


class GraphAlone:
    """The exported recogniser graph, as an app in another language runs it."""

    def __init__(self, folder: Path) -> None:
        opened = open_exported(folder)
        self._arrays, self._features = GraphEncoder(opened).arrays, opened.features()
        self._run = opened.graph("recognizer").run
        self._names = list(opened.templates().intents)

    def match(self, text: str) -> str:
        """The nearest intent; see :meth:`Way.match`."""
        scores = self._run(self._arrays(text) | self._features(text))["scores"]
        return self._names[int(scores.argmax())] if scores.any() else ""


def make_way(name: str, folder: Path, templates: Path, model: Path | None) -> Way:
    """Load one of the ways.

    Args:
        name: One of ``WAYS``.
        folder: Contains the exported folders, named as ``GRAPHS``.
        templates: The template file that they were exported with.
        model: The model file; the default model when None.

    Returns:
        The recogniser.
    """
    if name in GRAPHS:
        return GraphAlone(folder / name)
    if name in FORMATS:
        return Backend(name, folder / f"{FORMATS[name]}-{SCORINGS[0]}", templates)
    return Backend(name, model, templates)
