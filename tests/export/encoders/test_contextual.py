from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from pocketintent.runtime.encoders.contextual.encoder import ContextualEncoder
from pocketintent.runtime.encoders.registry import load_encoder
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


def encoder_of(path: Path) -> ContextualEncoder:
    encoder = load_encoder(path)
    assert isinstance(encoder, ContextualEncoder)
    return encoder


def run(module: torch.nn.Module, inputs: GraphInputs, texts: list[str]) -> np.ndarray:
    """The vectors of a batch of texts, each padded to the longest."""
    arrays = [inputs(text).arrays() for text in texts]
    length = max(1, *(len(a["ids"]) for a in arrays))
    batch = [
        torch.from_numpy(np.stack([np.pad(a[name], (0, length - len(a[name]))) for a in arrays]))
        for name in inputs.names
    ]
    vectors: np.ndarray = module(*batch).numpy()
    return vectors


@pytest.mark.parametrize("file_format", ["onnx", "tflite"])
def test_a_padded_batch_gives_the_vectors_of_the_runtime(
    contextual_model: Path, file_format: str
) -> None:
    encoder = encoder_of(contextual_model)
    module = encoder.graph_modules(file_format, None)["encoder"]

    vectors = run(module, encoder.graph_inputs(), TEXTS)

    np.testing.assert_allclose(vectors, encoder.encode_batch(TEXTS), atol=1e-5)


@pytest.mark.parametrize("max_length", [1, 2, 5, 8, 24])
def test_slots_that_are_cut_off_leave_the_vector_of_the_others(
    contextual_model: Path, max_length: int
) -> None:
    encoder = encoder_of(contextual_model)
    module = encoder.graph_modules("tflite", None)["encoder"]
    inputs = encoder.graph_inputs(max_length)
    for text in TEXTS:
        read = inputs(text)
        assert read.slots is not None and read.tokens is not None
        expected = encoder.encode_slots(read.slots, read.tokens)
        np.testing.assert_allclose(run(module, inputs, [text])[0], expected, atol=1e-5)


@pytest.mark.parametrize("file_format", ["onnx", "tflite"])
def test_the_exported_graph_gives_the_vectors_of_the_runtime(
    exported: Callable[..., Path], contextual_model: Path, file_format: str
) -> None:
    folder = open_exported(exported(file_format, "contextual"))
    pytest.importorskip({"onnx": "onnxruntime", "tflite": "ai_edge_litert"}[file_format])
    graph, encoder = GraphEncoder(folder), encoder_of(contextual_model)
    names = ["ids", "weights", "token_numbers"]
    assert [
        entry["name"] for entry in folder.manifest.entries["artifacts"]["encoder"]["inputs"]
    ] == names
    assert folder.manifest.entries["max_tokens"] == 256
    for text in TEXTS:
        read = graph.inputs(text)
        assert read.slots is not None and read.tokens is not None
        expected = encoder.encode_slots(read.slots, read.tokens)
        np.testing.assert_allclose(graph.encode(text), expected, atol=1e-5)
        if file_format == "onnx":
            np.testing.assert_allclose(expected, encoder.encode(text), atol=1e-5)
