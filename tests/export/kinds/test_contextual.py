from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("torch")

import numpy as np
from hypothesis import given, settings

from every_kind.graph_checks import check_exported, check_module, check_shortened_module
from every_kind.shortened_checks import check_slots
from models.lamp_tables import DIM, TEXT_LISTS, make_table
from models.random_contexts import random_context
from pocketintent import PocketIntentError
from pocketintent.runtime.encoders.contextual.encoder import ContextualEncoder
from pocketintent.runtime.encoders.registry import load_kind
from pocketintent_export.kinds.registry import export_of

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


def make(ngrams: bool = True, quantised: bool = False, int8: bool = False) -> ContextualEncoder:
    network = random_context(DIM, np.random.default_rng(2), int8=int8)
    return ContextualEncoder(make_table(ngrams, quantised), network)


def test_only_a_quantised_model_is_exported() -> None:
    export_of(make(quantised=True, int8=True)).check("model")
    with pytest.raises(PocketIntentError, match="not compressed"):
        export_of(make(int8=True)).check("model")
    with pytest.raises(
        PocketIntentError, match=r"network are float32.*pocketintent compress model"
    ):
        export_of(make(quantised=True)).check("model")


@pytest.mark.parametrize("ngrams", [False, True])
@given(texts=TEXT_LISTS)
@settings(max_examples=20)
def test_the_slots_of_a_text_give_its_vector(ngrams: bool, texts: list[str]) -> None:
    for text in texts:
        check_slots(make(ngrams), text)
