from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from pocketintent.runtime.encoders.infersent.encoder import InferSentEncoder
from pocketintent.runtime.encoders.registry import load_kind
from pocketintent.runtime.graphs.encoder import GraphEncoder
from pocketintent.runtime.graphs.folder import open_exported
from pocketintent.runtime.graphs.inputs import GraphInputs

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


def run(module: torch.nn.Module, inputs: GraphInputs, text: str, length: int) -> np.ndarray:
    """The vector of a text, padded to a number of slots."""
    arrays = inputs(text).arrays()
    padded = [np.pad(arrays[name], (0, length - len(arrays[name]))) for name in inputs.names]
    vector: np.ndarray = module(*(torch.from_numpy(array[None]) for array in padded))[0].numpy()
    return vector


@pytest.mark.parametrize("max_length", [1, 2, 5, 24, 400])
def test_the_module_gives_the_vector_of_the_slots(infersent_model: Path, max_length: int) -> None:
    encoder = load_kind(infersent_model, InferSentEncoder)
    module = encoder.graph_modules("tflite", None)["encoder"]
    inputs = encoder.graph_inputs(max_length)
    for text in TEXTS:
        read = inputs(text)
        assert read.slots is not None and read.tokens is not None
        expected = encoder.encode_slots(read.slots, read.tokens)
        np.testing.assert_allclose(run(module, inputs, text, max_length), expected, atol=1e-5)


@pytest.mark.parametrize("file_format", ["onnx", "tflite"])
def test_the_exported_graph_gives_the_vectors_of_the_runtime(
    exported: Callable[..., Path], infersent_model: Path, file_format: str
) -> None:
    folder = open_exported(exported(file_format, "infersent"))
    pytest.importorskip({"onnx": "onnxruntime", "tflite": "ai_edge_litert"}[file_format])
    graph, encoder = GraphEncoder(folder), load_kind(infersent_model, InferSentEncoder)
    assert folder.manifest.entries["max_tokens"] == 256
    for text in TEXTS:
        read = graph.inputs(text)
        assert read.slots is not None and read.tokens is not None
        expected = encoder.encode_slots(read.slots, read.tokens)
        np.testing.assert_allclose(graph.encode(text), expected, atol=1e-5)
        if file_format == "onnx":
            np.testing.assert_allclose(expected, encoder.encode(text), atol=1e-5)


def test_an_onnx_graph_reads_texts_of_different_lengths_together(
    exported: Callable[..., Path], infersent_model: Path
) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    folder = exported("onnx", "infersent")
    encoder = load_kind(infersent_model, InferSentEncoder)
    arrays = [encoder.graph_inputs()(text).arrays() for text in TEXTS]
    length = max(len(array["ids"]) for array in arrays)
    inputs = {
        name: np.stack([np.pad(array[name], (0, length - len(array[name]))) for array in arrays])
        for name in arrays[0]
    }
    vectors = onnxruntime.InferenceSession(folder / "encoder.onnx").run(None, inputs)[0]
    np.testing.assert_allclose(vectors, encoder.encode_batch(TEXTS), atol=1e-5)
