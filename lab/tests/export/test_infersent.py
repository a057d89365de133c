import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("torch")

from every_kind.graph_checks import TEXTS, check_exported, check_shortened_module, pad_inputs
from every_kind.shortened_checks import check_first_slots, check_slots
from exports.exported_folders import BAD_VALUES, KEYS, check_bad_entry, read_manifest
from models.lamp_tables import DIM, TEXT_LISTS, make_table
from pocketintent import PocketIntentError
from pocketintent.runtime.encoders.registry import load_kind
from pocketintent_export.conformance import HOSTILE
from pocketintent_export.kinds.registry import export_of
from pocketintent_lab.encoders.infersent.encoder import InferSentEncoder
from random_lstms import random_lstm


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
    inputs = export_of(encoder).inputs()
    batch = dict(zip(inputs.names, pad_inputs(inputs, TEXTS), strict=True))
    vectors = session.run(None, batch)[0]
    np.testing.assert_allclose(vectors, encoder.encode_batch(TEXTS), atol=1e-5)


def make(ngrams: bool = True, quantised: bool = False, int8: bool = False) -> InferSentEncoder:
    network = random_lstm(DIM, np.random.default_rng(2), hidden=6, int8=int8)
    return InferSentEncoder(make_table(ngrams, quantised), network)


def test_only_a_quantised_model_is_exported() -> None:
    export_of(make(quantised=True, int8=True)).check("model")
    with pytest.raises(PocketIntentError, match="not compressed"):
        export_of(make(int8=True)).check("model")
    with pytest.raises(PocketIntentError, match=r"network are float32.*pocketintent compress"):
        export_of(make(quantised=True)).check("model")


@pytest.mark.parametrize("ngrams", [False, True])
@given(texts=TEXT_LISTS)
@settings(max_examples=20)
def test_the_slots_of_either_table_give_the_vector(ngrams: bool, texts: list[str]) -> None:
    for text in texts:
        check_slots(make(ngrams), text)


@given(text=st.one_of(st.text(), st.sampled_from(HOSTILE)))
@settings(max_examples=50)
def test_slots_give_the_runtime_vector(infersent_model: Path, text: str) -> None:
    check_slots(load_kind(infersent_model, InferSentEncoder), text)


def test_a_long_text_is_encoded_as_its_first_slots(infersent_model: Path) -> None:
    check_first_slots(load_kind(infersent_model, InferSentEncoder))


@pytest.mark.parametrize("file_format", ["onnx", "tflite"])
def test_the_manifest_says_what_a_port_needs(
    exported: Callable[..., Path], file_format: str
) -> None:
    manifest = read_manifest(exported(file_format, "infersent"))
    assert (manifest["kind"], manifest["reads"]) == ("infersent", "words")
    assert manifest["max_tokens"] == 256
    assert manifest["max_length"] == (24 if file_format == "tflite" else None)
    assert manifest["ngrams"] is not None and manifest["characters"] is None
    inputs = [tensor["name"] for tensor in manifest["artifacts"]["encoder"]["inputs"]]
    assert inputs == ["ids", "weights", "token_numbers"]


@pytest.mark.parametrize("value", BAD_VALUES, ids=json.dumps)
@pytest.mark.parametrize("key", KEYS)
def test_a_manifest_with_a_bad_entry_works_or_is_refused_by_name(
    exported: Callable[..., Path], tmp_path: Path, key: str, value: Any
) -> None:
    check_bad_entry(exported("onnx", "infersent"), tmp_path / "copy", key, value)
