"""Backends that run an exported graph, ONNX Runtime and the TFLite interpreters, checked."""

from __future__ import annotations

import importlib.util
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.errors import MissingExtraError, ModelFileError, install_command, require

Arrays = Mapping[str, NDArray[Any]]
"""Tensors of one text by name, each without its batch axis."""


class TensorSpec(NamedTuple):
    """Type and shape of an input or output, with the batch axis."""

    dtype: str
    """NumPy's name of the type, such as ``"float32"``."""
    shape: tuple[int | None, ...]
    """Size of each axis; None if it is free."""


TensorSpecs = Mapping[str, TensorSpec]
"""Inputs or outputs of a graph by name."""


class Graph(ABC):
    """A graph that is ready to run, opened from the bytes of a file; messages name ``source``.

    MissingExtraError if the package that runs it is not installed, or needs an older NumPy;
    ModelFileError if it cannot run the graph.
    """

    inputs: TensorSpecs
    outputs: TensorSpecs

    @abstractmethod
    def __init__(self, content: bytes, source: Path) -> None:
        self._source = source

    @abstractmethod
    def _run(self, feed: Arrays) -> Arrays:
        """The outputs from the inputs, with the batch axis."""

    def expect(self, inputs: TensorSpecs, outputs: TensorSpecs) -> None:
        """Raise a ModelFileError unless the tensors are those of the manifest."""
        tensors = ("inputs", self.inputs, inputs), ("outputs", self.outputs, outputs)
        for kind, own, expected in tensors:
            if own.keys() != expected.keys() or not all(
                own[name].dtype == tensor.dtype and _has_shape(tensor.shape, own[name].shape)
                for name, tensor in expected.items()
            ):
                raise ModelFileError(
                    f"{self._source}: the graph does not fit its manifest: its {kind} are "
                    f"{_describe(own)}, and the manifest has {_describe(expected)}; export again"
                )
        self.outputs = outputs

    def run(self, inputs: Arrays) -> dict[str, NDArray[Any]]:
        """The outputs for one text, by name, each without its batch axis.

        ``inputs`` are all inputs likewise; an array shorter than the graph's is padded with zeros.
        A ModelFileError if the graph fails, or an output is not finite or of another shape.
        """
        try:
            feed = {
                name: _padded(array, self.inputs[name].shape[-1] or 1)[None]
                for name, array in inputs.items()
            }
            values = {name: value[0] for name, value in self._run(feed).items()}
        except Exception as error:  # the backends' exceptions have no common base
            raise ModelFileError(f"{self._source}: the graph cannot be run: {error}") from error
        for name, value in values.items():
            shape = self.outputs[name].shape[1:]
            if not _has_shape(value.shape, shape):
                raise ModelFileError(
                    f"{self._source}: output {name!r} has the shape {list(value.shape)}, and the "
                    f"manifest has {list(shape)}; export again"
                )
            if value.dtype.kind == "f" and not np.isfinite(value).all():
                raise ModelFileError(f"{self._source}: output {name!r} has NaN or infinity")
        return values


class OnnxGraph(Graph):
    """A graph in ONNX Runtime, on one thread: a query is too short to be split."""

    def __init__(self, content: bytes, source: Path) -> None:
        super().__init__(content, source)
        runtime = require("onnxruntime", "onnxruntime")
        options = runtime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        try:
            self._session = runtime.InferenceSession(
                content, options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # ONNX Runtime's exceptions have no common base
            raise ModelFileError(f"{source}: ONNX Runtime cannot run it: {error}") from error
        self.inputs = dict(map(_onnx_spec, self._session.get_inputs()))
        self.outputs = dict(map(_onnx_spec, self._session.get_outputs()))

    def _run(self, feed: Arrays) -> Arrays:
        names = list(self.outputs)
        return dict(zip(names, self._session.run(names, feed), strict=True))


class TfliteGraph(Graph):
    """A graph in a TFLite interpreter: ``ai-edge-litert`` if installed, else ``tflite-runtime``.

    An interpreter has room for the tensors of one run, so that threads take turns.
    """

    def __init__(self, content: bytes, source: Path) -> None:
        super().__init__(content, source)
        interpreter_class = _interpreter_class()
        try:
            interpreter = interpreter_class(model_content=content, num_threads=1)
            interpreter.allocate_tensors()
            self._runner = interpreter.get_signature_runner()
            self.inputs = _tflite_specs(self._runner.get_input_details())
            self.outputs = _tflite_specs(self._runner.get_output_details())
        except (ValueError, RuntimeError) as error:
            raise ModelFileError(f"{source}: the interpreter cannot run it: {error}") from error
        self._interpreter = interpreter  # a runner does not keep its interpreter alive
        self._lock = threading.Lock()

    def _run(self, feed: Arrays) -> Arrays:
        with self._lock:
            outputs: Arrays = self._runner(**feed)
        return outputs


GRAPHS: dict[str, Callable[[bytes, Path], Graph]] = {"onnx": OnnxGraph, "tflite": TfliteGraph}
"""The class that opens graphs of each format."""


def _onnx_spec(item: Any) -> tuple[str, TensorSpec]:
    """Name, type and shape of ONNX Runtime's description, whose type is like ``tensor(float)``."""
    dtype = item.type.removeprefix("tensor(").removesuffix(")")
    dtype = {"float": "float32", "double": "float64"}.get(dtype, dtype)
    return item.name, TensorSpec(dtype, tuple(n if type(n) is int else None for n in item.shape))


def _tflite_specs(details: Mapping[str, Mapping[str, Any]]) -> dict[str, TensorSpec]:
    """The types and shapes of an interpreter's description; all of its sizes are fixed."""
    return {
        name: TensorSpec(np.dtype(detail["dtype"]).name, tuple(map(int, detail["shape"])))
        for name, detail in details.items()
    }


def _padded(array: NDArray[Any], length: int) -> NDArray[Any]:
    """An array [n] padded with zeros to at least ``length``; a scalar is returned as it is."""
    if array.ndim == 0 or len(array) >= length:
        return array
    padded = np.zeros(length, array.dtype)
    padded[: len(array)] = array
    return padded


def _interpreter_class() -> Callable[..., Any]:
    """The class of the installed interpreter.

    With NumPy 2, the first model of ``tflite-runtime`` fails with an error that names neither.
    """
    is_installed = importlib.util.find_spec
    if is_installed("ai_edge_litert") or not is_installed("tflite_runtime"):
        module = require("ai_edge_litert.interpreter", "tflite")
    elif int(np.__version__.partition(".")[0]) < 2:
        module = require("tflite_runtime.interpreter", "tflite-runtime")
    else:
        raise MissingExtraError(
            f"tflite-runtime works with NumPy below 2, and {np.__version__} is installed: "
            f'install ai-edge-litert ({install_command("tflite")}), or "numpy<2"'
        )
    interpreter: Callable[..., Any] = module.Interpreter
    return interpreter


def _has_shape(shape: Sequence[int | None], allowed: Sequence[int | None]) -> bool:
    """Whether a shape has the sizes that are allowed; None allows any."""
    return len(shape) == len(allowed) and all(
        size in (None, own) for size, own in zip(allowed, shape, strict=True)
    )


def _describe(tensors: TensorSpecs) -> str:
    parts = (f"{name} {tensor.dtype} {list(tensor.shape)}" for name, tensor in tensors.items())
    return ", ".join(sorted(parts)) or "none"
