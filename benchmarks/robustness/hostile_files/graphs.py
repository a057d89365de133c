"""Graphs that are damaged on purpose: other inputs, outputs, types, shapes, weights and bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def change_onnx(content: bytes, rng: np.random.Generator) -> bytes:
    """An ONNX graph with one change.

    Raises:
        ValueError: The content is no ONNX graph.
    """
    import onnx
    from google.protobuf.message import DecodeError

    try:
        model = onnx.load_from_string(content)
    except DecodeError as error:
        raise ValueError(str(error)) from error
    graph = model.graph
    tensors = graph.input if rng.random() < 0.5 else graph.output
    if not tensors:
        return b""
    tensor = tensors[int(rng.integers(len(tensors)))]
    action = int(rng.integers(6))
    if action == 0:
        tensor.name += "x"
    elif action == 1:
        tensor.type.tensor_type.elem_type = int(rng.choice([1, 6, 7, 9, 10, 11]))
    elif action == 2:
        size = tensor.type.tensor_type.shape.dim[-1]
        size.dim_value = int(rng.choice([1, 2, 3, 7]))
    elif action == 3:
        tensors.remove(tensor)
    elif action == 4 and graph.initializer:
        weights = graph.initializer[int(rng.integers(len(graph.initializer)))]
        array = _change_weights(onnx.numpy_helper.to_array(weights), rng)
        weights.CopyFrom(onnx.numpy_helper.from_array(array, weights.name))
    else:
        return _flip_bit(content, rng)
    return bytes(model.SerializeToString())


def change_tflite(content: bytes, rng: np.random.Generator) -> bytes:
    """A TFLite graph with one change.

    Raises:
        ValueError: The content is no TFLite graph.
    """
    import flatbuffers
    from ai_edge_litert import schema_py_generated as schema

    try:
        model: Any = schema.ModelT.InitFromObj(schema.Model.GetRootAs(content, 0))
        signature = model.signatureDefs[0]
        tensors = model.subgraphs[signature.subgraphIndex].tensors
    except Exception as error:  # flatbuffers reads whatever the bytes are
        raise ValueError(str(error)) from error
    entries = signature.inputs if rng.random() < 0.5 else signature.outputs
    if not entries:
        return b""
    entry = entries[int(rng.integers(len(entries)))]
    tensor = tensors[entry.tensorIndex]
    action = int(rng.integers(6))
    if action == 0:
        entry.name += b"x"
    elif action == 1:
        tensor.type = int(rng.choice([0, 1, 2, 4, 6, 9, 10]))
    elif action == 2 and len(tensor.shape):
        tensor.shape = [*tensor.shape[:-1], int(rng.choice([1, 2, 3, 7]))]
    elif action == 3:
        entries.remove(entry)
    elif action == 4:
        weights = [tensor for tensor in tensors if model.buffers[tensor.buffer].data is not None]
        chosen = weights[int(rng.integers(len(weights)))]
        buffer = model.buffers[chosen.buffer]
        data = np.asarray(buffer.data, np.uint8)
        is_float = chosen.type == schema.TensorType.FLOAT32
        array = _change_weights(data.view(np.float32) if is_float else data, rng)
        buffer.data = array.view(np.uint8)
    else:
        return _flip_bit(content, rng)
    builder = flatbuffers.Builder(len(content))
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


CHANGES: dict[str, Callable[[bytes, np.random.Generator], bytes]] = {
    ".onnx": change_onnx,
    ".tflite": change_tflite,
}
"""The function that damages a graph, by the suffix of its file."""


def _change_weights(array: np.ndarray[Any, Any], rng: np.random.Generator) -> Any:
    """Other weights: one number for all floats, or half of the rows."""
    array = array.copy()
    if array.size and array.dtype.kind == "f":
        array.reshape(-1)[:] = rng.choice([np.nan, np.inf, 3e38, 0.0])
    elif array.ndim:
        array = array[: len(array) // 2]
    return array


def _flip_bit(content: bytes, rng: np.random.Generator) -> bytes:
    data = bytearray(content)
    data[int(rng.integers(len(data)))] ^= 1 << int(rng.integers(8))
    return bytes(data)
