from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

from graph_checks import TEXTS, check_exported, check_shortened_module, pad_inputs
from pocketintent.runtime.encoders.registry import load_kind
from pocketintent_lab.encoders.infersent.encoder import InferSentEncoder


@pytest.mark.parametrize("max_length", [1, 2, 5, 24, 400])
def test_the_module_gives_the_vector_of_the_slots(infersent_model: Path, max_length: int) -> None:
    encoder = load_kind(infersent_model, InferSentEncoder)
    check_shortened_module(encoder, max_length, padded=max_length)


@pytest.mark.parametrize("file_format", ["onnx", "tflite"])
def test_the_exported_graph_gives_the_vectors_of_the_runtime(
    exported: Callable[..., Path], infersent_model: Path, file_format: str
) -> None:
    check_exported(exported(file_format, "infersent"), load_kind(infersent_model, InferSentEncoder))


def test_an_onnx_graph_reads_texts_of_different_lengths_together(
    exported: Callable[..., Path], infersent_model: Path
) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    session = onnxruntime.InferenceSession(exported("onnx", "infersent") / "encoder.onnx")
    encoder = load_kind(infersent_model, InferSentEncoder)
    inputs = encoder.graph_inputs()
    batch = dict(zip(inputs.names, pad_inputs(inputs, TEXTS), strict=True))
    vectors = session.run(None, batch)[0]
    np.testing.assert_allclose(vectors, encoder.encode_batch(TEXTS), atol=1e-5)
