"""What holds for the graphs of every encoder that reads the words of a text in their order."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.graphs.encoder import GraphEncoder
from pocketintent.runtime.graphs.folder import ExportedFolder, open_exported
from pocketintent.runtime.graphs.inputs import GraphInputs
from pocketintent_export.formats import Format
from pocketintent_export.kinds.registry import export_of

TEXTS = [
    "turn on the lights",
    "the lights on turn",
    "lihgts zzz on",
    "um",
    "um on um",
    "",
    "lamp " * 300,
    "lihgts pizza " * 300,
    "🙂 \0 play",
]


def pad_inputs(inputs: GraphInputs, texts: Sequence[str], length: int = 1) -> list[np.ndarray]:
    """The inputs of a graph for a batch of texts, padded to the longest, or to a greater length."""
    arrays = [inputs(text).arrays() for text in texts]
    length = max(length, *(len(array["ids"]) for array in arrays))
    return [
        np.stack([np.pad(array[name], (0, length - len(array[name]))) for array in arrays])
        for name in inputs.names
    ]


def check_module(encoder: ModelEncoder, file_format: Format) -> None:
    """The torch module gives a padded batch the vectors of the runtime."""
    module = export_of(encoder).modules(file_format, None)["encoder"]
    batch = pad_inputs(export_of(encoder).inputs(), TEXTS)
    vectors = module(*map(torch.from_numpy, batch)).numpy()
    np.testing.assert_allclose(vectors, encoder.encode_batch(TEXTS), atol=1e-5)


def check_shortened_module(encoder: ModelEncoder, max_length: int, padded: int = 1) -> None:
    """The torch module gives a text that is cut off the vector of the slots that are left.

    Args:
        encoder: The encoder.
        max_length: Number of slots.
        padded: Number of slots to which a text is padded.
    """
    module = export_of(encoder).modules("tflite", None)["encoder"]
    inputs = export_of(encoder).inputs(max_length)
    for text in TEXTS:
        vector = module(*map(torch.from_numpy, pad_inputs(inputs, [text], padded)))[0].numpy()
        np.testing.assert_allclose(vector, vector_of_slots(encoder, inputs, text), atol=1e-5)


def check_exported(path: Path, encoder: ModelEncoder) -> ExportedFolder:
    """The exported graph gives the vectors of the runtime; returns its folder.

    The test is skipped where the backend of the format is not installed.
    """
    folder = open_exported(path)
    file_format = folder.manifest.entries["format"]
    pytest.importorskip({"onnx": "onnxruntime", "tflite": "ai_edge_litert"}[file_format])
    graph = GraphEncoder(folder)
    assert folder.manifest.entries["max_tokens"] == 256
    for text in TEXTS:
        expected = vector_of_slots(encoder, graph.inputs, text)
        np.testing.assert_allclose(graph.encode(text), expected, atol=1e-5)
        if file_format == "onnx":
            np.testing.assert_allclose(expected, encoder.encode(text), atol=1e-5)
    return folder


def check_stored_floats(path: Path, largest: int) -> None:
    """A graph stores no matrix as floats: only biases, scales of rows, and codebooks are floats.

    Args:
        path: The graph; the codes of its matrices stand for at most two numbers.
        largest: Size of the largest bias; every matrix has more numbers.
    """
    stored = _onnx_constants(path) if path.suffix == ".onnx" else _tflite_constants(path)
    assert stored
    for is_float, shape in stored:
        assert not is_float or np.prod(shape) <= largest or min(shape) <= 2, shape


def _onnx_constants(path: Path) -> list[tuple[bool, list[int]]]:
    """Whether a constant is of floats, and its shape."""
    onnx = pytest.importorskip("onnx")
    graph = onnx.load(path).graph
    constants = [a.t for node in graph.node for a in node.attribute if a.HasField("t")]
    return [
        (tensor.data_type == onnx.TensorProto.FLOAT, list(tensor.dims))
        for tensor in [*graph.initializer, *constants]
    ]


def _tflite_constants(path: Path) -> list[tuple[bool, list[int]]]:
    schema = pytest.importorskip("ai_edge_litert.schema_py_generated")
    model = schema.ModelT.InitFromObj(schema.Model.GetRootAs(path.read_bytes(), 0))
    return [
        (tensor.type == schema.TensorType.FLOAT32, list(tensor.shape))
        for graph in model.subgraphs
        for tensor in graph.tensors
        if model.buffers[tensor.buffer].data is not None and tensor.shape is not None
    ]


def vector_of_slots(encoder: ModelEncoder, inputs: GraphInputs, text: str) -> FloatArray:
    """The vector of the slots and tokens that a graph reads, by the runtime."""
    read = inputs(text)
    assert read.slots is not None and read.tokens is not None
    return export_of(encoder).encode_slots(read.slots, read.tokens)
