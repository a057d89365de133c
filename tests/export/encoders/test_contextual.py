from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("torch")

from graph_checks import check_exported, check_module, check_shortened_module
from pocketintent.runtime.encoders.contextual.encoder import ContextualEncoder
from pocketintent.runtime.encoders.registry import load_kind

each_format = pytest.mark.parametrize("file_format", ["onnx", "tflite"])


@each_format
def test_a_padded_batch_gives_the_vectors_of_the_runtime(
    contextual_model: Path, file_format: str
) -> None:
    check_module(load_kind(contextual_model, ContextualEncoder), file_format)


@pytest.mark.parametrize("max_length", [1, 2, 5, 8, 24])
def test_slots_that_are_cut_off_leave_the_vector_of_the_others(
    contextual_model: Path, max_length: int
) -> None:
    check_shortened_module(load_kind(contextual_model, ContextualEncoder), max_length)


@each_format
def test_the_exported_graph_gives_the_vectors_of_the_runtime(
    exported: Callable[..., Path], contextual_model: Path, file_format: str
) -> None:
    encoder = load_kind(contextual_model, ContextualEncoder)
    folder = check_exported(exported(file_format, "contextual"), encoder)
    inputs = folder.manifest.entries["artifacts"]["encoder"]["inputs"]
    assert [entry["name"] for entry in inputs] == ["ids", "weights", "token_numbers"]
