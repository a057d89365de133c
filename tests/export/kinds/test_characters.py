from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

pytest.importorskip("torch")

import torch

from every_kind.graph_checks import check_stored_floats
from models.random_networks import random_network
from pocketintent.compression.quantise import quantise_charemb
from pocketintent.runtime.encoders.charemb.encoder import CharEncoder
from pocketintent.runtime.encoders.charemb.network import CharNetwork
from pocketintent.runtime.encoders.combined import Attention, CombinedEncoder, TableAttention
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.encoders.weights import WeightFormat
from pocketintent.runtime.quantization.matrices import QuantizedMatrix
from pocketintent.runtime.text.characters import CharVocabulary
from pocketintent_export.formats import GraphTensor
from pocketintent_export.kinds.charemb import CharactersModule
from pocketintent_export.kinds.combined import AttentionModule
from pocketintent_export.kinds.registry import export_of
from pocketintent_export.writers import WRITERS

MakeMatrix = Callable[..., QuantizedMatrix]
MakeEncoder = Callable[..., StaticEncoder]
Convert = Callable[[str, str], Path]
MakeOnce = Callable[[str, Callable[[Path], object]], Path]
Run = Callable[[NDArray[np.int32], NDArray[np.int32]], NDArray[np.float32]]

KNOWN = " 'abcdefgh"
LENGTH, MAX_CHARS = 7, 9
GARBAGE = 12345
LAYERS = CharNetwork(dim=6, char_dim=8, hidden=8, layers=2, mlp=5, heads=2)
NETWORKS = {
    "lstm": LAYERS,
    "lstm forward": replace(LAYERS, bidirectional=False),
    "lstm one layer": replace(LAYERS, layers=1, norm=False),
    "gru": replace(LAYERS, cell="gru"),
    "gru forward": replace(LAYERS, cell="gru", layers=1, bidirectional=False),
    "transformer": replace(LAYERS, cell="transformer"),
}
FORMATS: list[WeightFormat] = ["int8", "codebook"]
WRITTEN: dict[str, WeightFormat] = {"lstm": "int8", "gru": "codebook", "transformer": "int8"}
"""The networks that are written to files, with their format of weights."""
TEXTS = ["", "a", "head", "abcdefg", "zz a", "bad xx", "g", "🙂"]


def make(network: CharNetwork, weights: WeightFormat = "int8") -> CharEncoder:
    rng = np.random.default_rng(3)
    vocabulary = CharVocabulary(KNOWN, MAX_CHARS)
    return quantise_charemb(random_network(network, vocabulary, rng, scale=0.6), weights)


def numbers(encoder: CharEncoder, text: str, length: int = LENGTH) -> NDArray[np.int32]:
    """The characters of a text, int32 [1, length], followed by garbage."""
    characters = encoder.vocabulary.numbers(text)
    row = np.full((1, length), GARBAGE, np.int32)
    row[0, : len(characters)] = characters
    return row


def count(encoder: CharEncoder, text: str) -> NDArray[np.int32]:
    return np.array([len(encoder.vocabulary.numbers(text))], np.int32)


def run_module(module: torch.nn.Module) -> Run:
    return lambda *inputs: module(*map(torch.from_numpy, inputs)).numpy()


def run_file(path: Path) -> Run:
    if path.suffix == ".onnx":
        runtime = pytest.importorskip("onnxruntime")
        session = runtime.InferenceSession(path, providers=["CPUExecutionProvider"])
        return lambda characters, lengths: session.run(
            None, {"characters": characters, "lengths": lengths}
        )[0]
    runner = interpreter(path).get_signature_runner()
    return lambda characters, lengths: runner(characters=characters, lengths=lengths)["vectors"]


def interpreter(path: Path) -> Any:
    opened = pytest.importorskip("ai_edge_litert.interpreter").Interpreter(str(path))
    opened.allocate_tensors()
    return opened


def check(run: Run, encoder: CharEncoder, texts: Sequence[str]) -> None:
    for text in texts:
        vector = run(numbers(encoder, text), count(encoder, text))
        np.testing.assert_allclose(vector, encoder.embed_terms([text]), atol=2e-6)


@pytest.mark.parametrize("weights", FORMATS)
@pytest.mark.parametrize("network", NETWORKS.values(), ids=NETWORKS)
def test_the_module_of_a_fixed_length_gives_the_runtimes_vectors(
    network: CharNetwork, weights: WeightFormat
) -> None:
    encoder = make(network, weights)
    check(run_module(CharactersModule(encoder, "tflite", LENGTH)), encoder, TEXTS)


@given(text=st.text(st.sampled_from(KNOWN + "x"), max_size=LENGTH), garbage=st.integers(0, 9))
@settings(max_examples=25)
@pytest.mark.parametrize("cell", ["lstm", "gru", "transformer"])
def test_what_lies_behind_a_text_does_not_matter(cell: str, text: str, garbage: int) -> None:
    encoder = make(NETWORKS[cell])
    run = run_module(CharactersModule(encoder, "tflite", LENGTH))
    row = numbers(encoder, text)
    row[row == GARBAGE] = garbage
    np.testing.assert_allclose(
        run(row, count(encoder, text)), encoder.embed_terms([text]), atol=2e-6
    )


@pytest.fixture(scope="session")
def convert(make_once: MakeOnce) -> Convert:
    """Returns the graph of one of ``NETWORKS`` in a format."""

    def convert_one(name: str, file_format: Any) -> Path:
        def write(path: Path) -> None:
            pytest.importorskip("litert_torch" if file_format == "tflite" else "onnxscript")
            length = LENGTH if file_format == "tflite" else None
            encoder = make(NETWORKS[name], WRITTEN[name])
            write_characters(CharactersModule(encoder, file_format, length), file_format, path)

        return make_once(f"characters_{name}.{file_format}", write)

    return convert_one


def write_characters(module: torch.nn.Module, file_format: str, path: Path) -> None:
    fixed = file_format == "tflite"
    inputs = [
        GraphTensor("characters", "int32", (1, LENGTH) if fixed else ("batch", "length")),
        GraphTensor("lengths", "int32", (1,) if fixed else ("batch",)),
    ]
    WRITERS[file_format](module, inputs, ["vectors"], path)


@pytest.mark.parametrize("file_format", ["onnx", "tflite"])
@pytest.mark.parametrize("name", WRITTEN)
def test_the_graph_gives_the_runtimes_vectors(
    convert: Convert, name: str, file_format: str
) -> None:
    encoder = make(NETWORKS[name], WRITTEN[name])
    check(run_file(convert(name, file_format)), encoder, TEXTS)


@pytest.mark.parametrize("file_format", ["onnx", "tflite"])
@pytest.mark.parametrize("name", WRITTEN)
def test_no_matrix_of_the_graph_is_stored_as_floats(
    convert: Convert, name: str, file_format: str
) -> None:
    check_stored_floats(convert(name, file_format), largest=64)


@pytest.mark.parametrize("name", WRITTEN)
def test_an_onnx_graph_reads_a_batch_of_texts_of_any_lengths(convert: Convert, name: str) -> None:
    encoder = make(NETWORKS[name], WRITTEN[name])
    texts = [*TEXTS, "abcdefgha"]
    rows = np.concatenate([numbers(encoder, text, MAX_CHARS) for text in texts])
    counts = np.concatenate([count(encoder, text) for text in texts])

    vectors = run_file(convert(name, "onnx"))(rows, counts)

    np.testing.assert_allclose(vectors, encoder.embed_terms(texts), atol=2e-6)


def test_a_tflite_loop_has_one_round_and_buffers_in_their_places(convert: Convert) -> None:
    path = convert("gru", "tflite")
    schema = pytest.importorskip("ai_edge_litert.schema_py_generated")
    content = path.read_bytes()
    model = schema.ModelT.InitFromObj(schema.Model.GetRootAs(content, 0))
    codes = [code.builtinCode for code in model.operatorCodes]
    assert schema.BuiltinOperator.STABLEHLO_COMPOSITE not in codes
    assert b"pocketintent_export" not in content  # names of modules waste space
    assert len(model.subgraphs) == 1 + 2 * NETWORKS["gru"].layers
    file = schema.Model.GetRootAs(content, 0)
    for number in range(file.BuffersLength()):
        buffer = file.Buffers(number)
        if buffer.DataLength():
            assert _address(content, buffer.DataAsNumpy()) % 16 == 0


def _address(content: bytes, view: NDArray[np.uint8]) -> int:
    start = np.frombuffer(content, np.uint8).__array_interface__["data"][0]
    address: int = view.__array_interface__["data"][0] - start
    return address


def test_longer_texts_than_the_graph_takes_are_cut() -> None:
    encoder = make(LAYERS)
    run = run_module(CharactersModule(encoder, "tflite", 3))
    row = np.array([encoder.vocabulary.numbers("head")[:3]], np.int32)
    np.testing.assert_allclose(
        run(row, np.array([4], np.int32)), encoder.embed_terms(["hea"]), atol=2e-6
    )


@pytest.mark.parametrize("keep_codes", [True, False])
@pytest.mark.parametrize("normalised", [True, False])
@pytest.mark.parametrize("words", [None, 20])
def test_the_attention_is_the_runtimes(
    make_matrix: MakeMatrix, words: int | None, normalised: bool, keep_codes: bool
) -> None:
    table = make_matrix(70, dim=6, normalised=normalised)
    if table.norms is not None:
        table.norms[3] = 0
    queries = np.random.default_rng(1).normal(size=(5, 6)).astype(np.float32)
    queries[2] = 0
    chosen = Attention(share=0.7, temperature=0.1, weight=0.9, words=words)

    vectors = AttentionModule(table, chosen, keep_codes)(torch.from_numpy(queries))

    np.testing.assert_allclose(vectors, TableAttention(table, chosen)(queries), atol=2e-6)


@pytest.mark.parametrize("file_format", ["onnx", "tflite"])
def test_the_characters_of_a_combined_encoder_ask_its_table(
    make_matrix: MakeMatrix, make_encoder: MakeEncoder, file_format: Any, tmp_path: Path
) -> None:
    pytest.importorskip("litert_torch" if file_format == "tflite" else "onnxscript")
    words = make_encoder({"dim": 6}, None, num_words=70)
    network = make(replace(LAYERS, layers=1))
    network = CharEncoder(
        network.vocabulary,
        network.network,
        network.weights,
        reads="words",
        tokenizer_spec=words.tokenizer_spec,
    )
    encoder = CombinedEncoder(words, network, Attention())
    length = LENGTH if file_format == "tflite" else None

    write_characters(
        export_of(encoder).modules(file_format, length)["characters"],
        file_format,
        tmp_path / f"c.{file_format}",
    )

    run = run_file(tmp_path / f"c.{file_format}")
    for text in TEXTS:
        vector = run(numbers(network, text), count(network, text))
        np.testing.assert_allclose(vector, encoder.embed_unknown([text]), atol=2e-6)
