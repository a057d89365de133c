from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.graphs.encoder import GraphEncoder
from pocketintent.runtime.graphs.folder import open_exported

TEXTS = [
    "turn on the lights",
    "the lights on turn",
    "lihgts zzz on",
    "um",
    "um on um",
    "",
    "lamp " * 300,
    "🙂 \0 play",
]
each_model = pytest.mark.parametrize("name", ["convrr", "fcrr"])
each_format = pytest.mark.parametrize("file_format", ["onnx", "tflite"])


@each_model
@each_format
def test_a_padded_batch_gives_the_vectors_of_the_runtime(
    adapted_models: dict[str, Path], name: str, file_format: str
) -> None:
    encoder = load_encoder(adapted_models[name])
    inputs = encoder.graph_inputs()
    arrays = [inputs(text).arrays() for text in TEXTS]
    length = max(len(array["ids"]) for array in arrays)
    batch = [
        torch.from_numpy(
            np.stack([np.pad(array[key], (0, length - len(array[key]))) for array in arrays])
        )
        for key in inputs.names
    ]

    vectors = encoder.graph_modules(file_format, None)["encoder"](*batch).numpy()

    np.testing.assert_allclose(vectors, encoder.encode_batch(TEXTS), atol=1e-5)


@each_model
@each_format
def test_the_exported_graph_gives_the_vectors_of_the_runtime(
    exported: Callable[..., Path], adapted_models: dict[str, Path], name: str, file_format: str
) -> None:
    folder = open_exported(exported(file_format, name))
    pytest.importorskip({"onnx": "onnxruntime", "tflite": "ai_edge_litert"}[file_format])
    graph, encoder = GraphEncoder(folder), load_encoder(adapted_models[name])
    assert folder.manifest.entries["max_tokens"] == 256
    for text in TEXTS:
        read = graph.inputs(text)
        assert read.slots is not None and read.tokens is not None
        expected = encoder.encode_slots(read.slots, read.tokens)
        np.testing.assert_allclose(graph.encode(text), expected, atol=1e-5)
        if file_format == "onnx":
            np.testing.assert_allclose(expected, encoder.encode(text), atol=1e-5)


def test_the_adapter_stays_int8_in_the_file(exported: Callable[..., Path]) -> None:
    folder = exported("onnx", "convrr")
    graph = pytest.importorskip("onnx").load(folder / "encoder.onnx").graph
    kernels = 6 * 3 * 32
    sizes = {tuple(t.dims): t.data_type for t in graph.initializer if np.prod(t.dims) == kernels}
    assert set(sizes.values()) == {3}  # INT8
