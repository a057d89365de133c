from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("torch")

import numpy as np
from hypothesis import given, settings

from every_kind.graph_checks import (
    check_exported,
    check_module,
    check_shortened_module,
    check_stored_floats,
)
from every_kind.shortened_checks import check_slots
from exports.exported_folders import read_conformance, read_manifest
from models.lamp_tables import DIM, TEXT_LISTS, make_table
from models.random_transformers import PIECES, piece_table, random_transformer
from pocketintent import PocketIntentError
from pocketintent.compression.codebooks import quantise_weights
from pocketintent.runtime.encoders.registry import load_kind
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.encoders.transformer.encoder import TransformerEncoder
from pocketintent.runtime.encoders.transformer.network import TransformerNetwork
from pocketintent.runtime.graphs.folder import open_exported
from pocketintent_export.kinds.registry import export_of

each_format = pytest.mark.parametrize("file_format", ["onnx", "tflite"])


def network(heads: int = 2, quantised: bool = True) -> TransformerNetwork:
    return random_transformer(DIM, np.random.default_rng(2), heads=heads, quantised=quantised)


def int8_network() -> TransformerNetwork:
    floats = network(quantised=False)
    weights = quantise_weights(floats.weights, "int8", sub_dim=1, codebook_size=1)
    return TransformerNetwork(DIM, floats.layers, floats.heads, floats.feedforward, weights)


@each_format
@pytest.mark.parametrize(
    ("table", "weights"),
    [
        (piece_table(quantised=True), network()),
        (piece_table(quantised=True), network(heads=1)),
        (piece_table(quantised=True), int8_network()),
        (make_table(ngrams=True, quantised=True), network()),
    ],
    ids=["pieces", "one head", "int8", "words and n-grams"],
)
def test_a_padded_batch_gives_the_vectors_of_the_runtime(
    table: StaticEncoder, weights: TransformerNetwork, file_format: str
) -> None:
    check_module(TransformerEncoder(table, weights), file_format)


@pytest.mark.parametrize("max_length", [1, 2, 5, 8, 24])
def test_slots_that_are_cut_off_leave_the_vector_of_the_others(
    transformer_model: Path, max_length: int
) -> None:
    encoder = load_kind(transformer_model, TransformerEncoder)
    check_shortened_module(encoder, max_length)
    check_shortened_module(encoder, max_length, padded=24)


@each_format
def test_the_exported_graph_gives_the_vectors_of_the_runtime(
    exported: Callable[..., Path], transformer_model: Path, file_format: str
) -> None:
    encoder = load_kind(transformer_model, TransformerEncoder)
    folder = check_exported(exported(file_format, "transformer"), encoder)
    inputs = folder.manifest.entries["artifacts"]["encoder"]["inputs"]
    assert [entry["name"] for entry in inputs] == ["ids", "weights", "token_numbers"]


@each_format
def test_no_matrix_of_the_graph_is_stored_as_floats(
    exported: Callable[..., Path], file_format: str
) -> None:
    graph = exported(file_format, "transformer") / f"encoder.{file_format}"
    check_stored_floats(graph, largest=3 * 32)


@each_format
def test_the_folder_has_the_pieces_and_corrects_whole_words(
    exported: Callable[..., Path], file_format: str
) -> None:
    folder = exported(file_format, "transformer")
    spec = {"name": "word_pieces", "version": 1, "max_chars": 4096}
    assert read_manifest(folder)["tokenizer"] == spec
    assert (folder / "vocabulary.txt").read_text("utf-8").split("\n") == PIECES
    known = open_exported(folder).inputs().known_words
    assert known is not None
    assert known.words == [word for word in PIECES if not word.startswith("##")]
    tokens = {token for line in read_conformance(folder) for token in line["tokens"]}
    assert tokens <= set(PIECES)
    assert {"lamp", "##s", "##ing"} <= tokens


def test_only_a_quantised_model_is_exported() -> None:
    export_of(TransformerEncoder(piece_table(quantised=True), network())).check("model")
    with pytest.raises(PocketIntentError, match="not compressed"):
        export_of(TransformerEncoder(piece_table(), network())).check("model")
    with pytest.raises(
        PocketIntentError, match=r"network are float32.*pocketintent compress model"
    ):
        floats = TransformerEncoder(piece_table(quantised=True), network(quantised=False))
        export_of(floats).check("model")


@pytest.mark.parametrize("table", [piece_table(), make_table()], ids=["pieces", "words"])
@given(texts=TEXT_LISTS)
@settings(max_examples=20)
def test_the_slots_of_a_text_give_its_vector(table: StaticEncoder, texts: list[str]) -> None:
    for text in texts:
        check_slots(TransformerEncoder(table, network()), text)
