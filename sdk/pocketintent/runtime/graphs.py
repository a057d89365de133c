"""Running an exported graph: by ONNX Runtime, or by a TFLite interpreter."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.errors import MissingExtraError, ModelFileError, require
from pocketintent.runtime.token_inputs import Slots


class Graph(Protocol):
    """A graph that is ready to run."""

    def run(self, slots: Slots) -> dict[str, NDArray[Any]]:
        """The outputs for one text, by name; each without the batch axis.

        Args:
            slots: Ids and weights of the text, as the folder's inputs make them.
        """
        ...


class OnnxGraph:
    """A graph in ONNX Runtime, on one thread: a query is too short to be shared.

    Args:
        content: The file's bytes.
        source: The file, for messages.
        length: Not used; the length of an ONNX graph is free.

    Raises:
        MissingExtraError: ONNX Runtime is not installed.
        ModelFileError: It cannot run the graph.
    """

    def __init__(self, content: bytes, source: Path, length: int | None = None) -> None:
        runtime = require("onnxruntime", "onnxruntime")
        options = runtime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            self._session = runtime.InferenceSession(
                content, options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # its exceptions have no common base
            raise ModelFileError(f"{source}: ONNX Runtime cannot run it: {error}") from error
        self._outputs = [output.name for output in self._session.get_outputs()]

    def run(self, slots: Slots) -> dict[str, NDArray[Any]]:
        """The outputs for one text; see :meth:`Graph.run`."""
        ids, weights = slots if len(slots[0]) else _padded(slots, 1)
        values = self._session.run(None, {"ids": ids[None], "weights": weights[None]})
        return {name: value[0] for name, value in zip(self._outputs, values, strict=True)}


class TfliteGraph:
    """A graph in a TFLite interpreter, of ``ai-edge-litert`` or else of ``tflite-runtime``.

    An interpreter holds the tensors of one run, so that threads take turns.

    Args:
        content: The file's bytes.
        source: The file, for messages.
        length: Slots of the graph's inputs.

    Raises:
        MissingExtraError: There is no interpreter, or one that NumPy is too new for.
        ModelFileError: It cannot run the graph.
    """

    def __init__(self, content: bytes, source: Path, length: int | None) -> None:
        if length is None:
            raise ModelFileError(f"{source}: the manifest names no max_length")
        interpreter_class = _interpreter_class()
        try:
            interpreter = interpreter_class(model_content=content, num_threads=1)
            interpreter.allocate_tensors()
            self._run = interpreter.get_signature_runner()
        except (ValueError, RuntimeError) as error:
            raise ModelFileError(f"{source}: the interpreter cannot run it: {error}") from error
        self._interpreter = interpreter  # a runner does not keep its interpreter alive
        self._length = length
        self._lock = threading.Lock()

    def run(self, slots: Slots) -> dict[str, NDArray[Any]]:
        """The outputs for one text; see :meth:`Graph.run`."""
        ids, weights = _padded(slots, self._length)
        with self._lock:
            outputs = self._run(ids=ids[None], weights=weights[None])
        return {name: value[0] for name, value in outputs.items()}


GRAPHS: dict[str, Callable[[bytes, Path, int | None], Graph]] = {
    "onnx": OnnxGraph,
    "tflite": TfliteGraph,
}
"""How a graph of each format is opened."""


def _padded(slots: Slots, length: int) -> Slots:
    """The slots, filled up with id 0 at weight 0."""
    ids, weights = np.zeros(length, np.int32), np.zeros(length, np.float32)
    ids[: len(slots[0])], weights[: len(slots[1])] = slots
    return ids, weights


def _interpreter_class() -> Callable[..., Any]:
    """The interpreter that is installed.

    ``tflite-runtime`` is built for NumPy 1; with a later one it fails at the first model with
    a SystemError that names neither.
    """
    if _is_installed("ai_edge_litert") or not _is_installed("tflite_runtime"):
        module = require("ai_edge_litert.interpreter", "tflite")
    elif int(np.__version__.partition(".")[0]) < 2:
        module = require("tflite_runtime.interpreter", "tflite-runtime")
    else:
        raise MissingExtraError(
            f"tflite-runtime works with NumPy below 2, and {np.__version__} is installed: "
            'pip install "pocketintent[tflite]", which brings ai-edge-litert, or "numpy<2"'
        )
    interpreter: Callable[..., Any] = module.Interpreter
    return interpreter


def _is_installed(package: str) -> bool:
    return importlib.util.find_spec(package) is not None
