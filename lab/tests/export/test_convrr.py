from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

from every_kind.graph_checks import check_exported, check_module
from every_kind.shortened_checks import check_slots
from models.lamp_tables import DIM, make_table
from models.random_contexts import random_context
from pocketintent.runtime.encoders.contextual.encoder import ContextualEncoder
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent_lab.encoders.convrr.encoder import ConvrrEncoder
from random_heads import random_head

each_model = pytest.mark.parametrize("name", ["convrr", "fcrr"])
each_format = pytest.mark.parametrize("file_format", ["onnx", "tflite"])


@each_model
@each_format
def test_a_padded_batch_gives_the_vectors_of_the_runtime(
    adapted_models: dict[str, Path], name: str, file_format: str
) -> None:
    check_module(load_encoder(adapted_models[name]), file_format)


@each_model
@each_format
def test_the_exported_graph_gives_the_vectors_of_the_runtime(
    exported: Callable[..., Path], adapted_models: dict[str, Path], name: str, file_format: str
) -> None:
    check_exported(exported(file_format, name), load_encoder(adapted_models[name]))


def test_the_adapter_stays_int8_in_the_file(exported: Callable[..., Path]) -> None:
    folder = exported("onnx", "convrr")
    graph = pytest.importorskip("onnx").load(folder / "encoder.onnx").graph
    kernels = 6 * 3 * 32
    sizes = {tuple(t.dims): t.data_type for t in graph.initializer if np.prod(t.dims) == kernels}
    assert set(sizes.values()) == {3}  # INT8


@pytest.mark.parametrize("kind", ["static", "contextual"])
@pytest.mark.parametrize("ngrams", [False, True])
def test_the_slots_of_a_text_give_its_vector(kind: str, ngrams: bool) -> None:
    table = make_table(ngrams)
    network = random_context(DIM, np.random.default_rng(2))
    inner = table if kind == "static" else ContextualEncoder(table, network)
    head = random_head(DIM, np.random.default_rng(3))
    for text in ["turn on the lamp", "play zzz", "", "lamp um " * 200]:
        check_slots(ConvrrEncoder(inner, head), text)
