import contextlib
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("onnxscript")

import onnx
import torch

from pocketintent.runtime.decision.nearest import NearestScorer
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.graphs.backends import GRAPHS, Graph
from pocketintent.runtime.graphs.folder import open_exported
from pocketintent.runtime.graphs.inputs import GraphInputs, Slots
from pocketintent.runtime.index.indexed_templates import IndexedTemplates
from pocketintent_export import writers
from pocketintent_export.formats import GraphTensor
from pocketintent_export.kinds.static import StaticModule
from pocketintent_export.layers.recognizer import RecognizerModule
from pocketintent_export.writers import OPSET, WRITERS

MakeEncoder = Callable[..., StaticEncoder]
MakeIndex = Callable[..., IndexedTemplates]
Convert = Callable[[str, int], Path]
MakeOnce = Callable[[str, Callable[[Path], object]], Path]

FORMATS = ["onnx", "tflite"]
NUM_WORDS, NUM_BUCKETS, DIM, LENGTH = 4000, 1000, 32, 9
COUNTS = [700, 1, 299]
TEXTS = ["aaab", "aaab aaac aaab", "aafd unheard aaaa", "x"]
SLOTS = {
    file_format: [GraphTensor("ids", "int32", shape), GraphTensor("weights", "float32", shape)]
    for file_format, shape in {"onnx": ("batch", "length"), "tflite": (1, LENGTH)}.items()
}
WIDTHS = {4: 16, 7: 128}
"""Codebook sizes by the bits of a code; the fixture ``exported`` has codes of 8 bits."""


@pytest.fixture(scope="module")
def encoders(make_encoder: MakeEncoder) -> dict[int, StaticEncoder]:
    """Encoders of 5,000 rows, by the bits of a code."""
    encoders = {}
    for bits, size in WIDTHS.items():
        shape = {"dim": DIM, "sub_dim": 4, "size": size, "per_position": False}
        encoders[bits] = make_encoder(shape, {**shape, "num": NUM_BUCKETS}, NUM_WORDS)
    return encoders


@pytest.fixture(scope="module")
def indexed(make_index: MakeIndex) -> IndexedTemplates:
    """A thousand templates of three intents."""
    return make_index(COUNTS, dim=DIM, size=256, per_position=False)


@pytest.fixture(scope="module")
def convert(
    encoders: dict[int, StaticEncoder], indexed: IndexedTemplates, make_once: MakeOnce
) -> Convert:
    """Returns the recogniser's graph by its format and the bits of the encoder's codes."""

    def convert_one(file_format: str, bits: int) -> Path:
        def write(path: Path) -> None:
            if file_format == "tflite":
                pytest.importorskip("litert_torch")
            # Each width has another scoring, so that few conversions cover all.
            module = RecognizerModule(
                StaticModule(encoders[bits]),
                indexed,
                NearestScorer(indexed, "nearest+centroid"),
                "table" if bits == 4 else "decoded",
                keep_codes=file_format == "tflite",
            )
            with contextlib.redirect_stdout(io.StringIO()) as output:
                inputs = SLOTS[file_format]
                WRITERS[file_format](module, inputs, ["scores", "templates"], path)
            assert output.getvalue() == ""  # stdout is for results

        return make_once(f"recognizer_{bits}.{file_format}", write)

    return convert_one


def _slots(encoder: StaticEncoder, text: str) -> Slots:
    spec, ngrams = encoder.tokenizer_spec, encoder.ngram_settings
    slots = GraphInputs(spec, encoder.vocabulary, ngrams, LENGTH)(text).slots
    assert slots is not None
    return slots


def _tensors(path: Path) -> list[tuple[str, tuple[int, ...]]]:
    """Types and shapes of all tensors stored in a graph's file."""
    if path.suffix == ".onnx":
        graph = onnx.load(path).graph
        stored = [*graph.initializer]
        stored += [a.t for node in graph.node for a in node.attribute if a.HasField("t")]
        return [
            (onnx.TensorProto.DataType.Name(tensor.data_type).lower(), tuple(tensor.dims))
            for tensor in stored
        ]
    interpreter = pytest.importorskip("ai_edge_litert.interpreter").Interpreter(str(path))
    return [
        (np.dtype(detail["dtype"]).name, tuple(detail["shape"].tolist()))
        for detail in interpreter.get_tensor_details()
    ]


@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("file_format", FORMATS)
def test_the_graph_gives_what_the_runtime_gives(
    convert: Convert,
    encoders: dict[int, StaticEncoder],
    indexed: IndexedTemplates,
    file_format: str,
    bits: int,
) -> None:
    path = convert(file_format, bits)
    graph: Graph = GRAPHS[file_format](path.read_bytes(), path)
    scorer = NearestScorer(indexed, "nearest+centroid")

    for text in TEXTS:
        slots = _slots(encoders[bits], text)
        assert len(slots[0]) <= LENGTH
        query = _vector(encoders[bits], slots)
        outputs = graph.run(slots.arrays())
        for hit in scorer.search(text, query, len(COUNTS)):
            assert outputs["scores"][hit.intent] == pytest.approx(hit.score, abs=1e-5)
            assert outputs["templates"][hit.intent] == hit.row
        assert outputs["templates"].dtype == np.int32


def _vector(encoder: StaticEncoder, slots: Slots) -> np.ndarray:
    """The sentence vector of the slots of a text, which may be shortened."""
    assert encoder.ngrams is not None
    total = slots[1] @ np.concatenate([encoder.words.decode(), encoder.ngrams.decode()])[slots[0]]
    return (total / np.linalg.norm(total)).astype(np.float32)


@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("file_format", FORMATS)
def test_codes_stay_packed_bytes_and_no_float_matrix_appears(
    convert: Convert, file_format: str, bits: int
) -> None:
    path = convert(file_format, bits)
    rows, row_bytes = NUM_WORDS + NUM_BUCKETS, -(-DIM // 4 * bits // 8)
    num_templates = sum(COUNTS) + len(COUNTS)
    tensors = _tensors(path)

    assert ("int8", (rows, row_bytes)) in tensors
    assert ("int8", (num_templates, DIM // 2)) in tensors
    for dtype, shape in tensors:
        if not dtype.startswith("int8") and rows in shape:
            assert np.prod(shape) == rows, (dtype, shape)  # the norms
    # Codes, norms, and up to 80 kB of codebooks, template numbers and operators.
    stored = rows * (row_bytes + 4) + num_templates * (DIM // 2 + 4)
    assert path.stat().st_size < stored + 80_000 < rows * DIM * 4 / 3


@pytest.mark.parametrize("file_format", FORMATS)
def test_no_path_of_this_machine_is_in_the_file(convert: Convert, file_format: str) -> None:
    content = convert(file_format, 7).read_bytes()

    assert b".py" not in content
    assert str(Path(__file__).parents[2]).encode() not in content


def test_an_onnx_graph_is_valid_and_has_named_free_axes(convert: Convert) -> None:
    model = onnx.load(convert("onnx", 7))

    onnx.checker.check_model(model, full_check=True)
    assert [opset.version for opset in model.opset_import if opset.domain == ""] == [OPSET]
    assert {opset.domain for opset in model.opset_import} == {""}
    assert model.functions == []
    axes = {
        value.name: [dim.dim_param or dim.dim_value for dim in value.type.tensor_type.shape.dim]
        for value in (*model.graph.input, *model.graph.output)
    }
    assert axes == {
        "ids": ["batch", "length"],
        "weights": ["batch", "length"],
        "scores": ["batch", len(COUNTS)],
        "templates": ["batch", len(COUNTS)],
    }


@pytest.mark.parametrize(("batch", "length"), [(1, 1), (1, 40), (3, 7), (16, 2)])
def test_an_onnx_graph_takes_any_batch_and_length(
    convert: Convert, batch: int, length: int
) -> None:
    session = _session(convert("onnx", 7))
    rng = np.random.default_rng(length)
    ids = rng.integers(0, NUM_WORDS + NUM_BUCKETS, (batch, length)).astype(np.int32)
    weights = rng.uniform(0.1, 1, (batch, length)).astype(np.float32)

    scores, templates = session.run(None, {"ids": ids, "weights": weights})

    assert scores.shape == templates.shape == (batch, len(COUNTS))
    for row in range(batch):
        alone = session.run(None, {"ids": ids[row, None], "weights": weights[row, None]})
        np.testing.assert_allclose(scores[row], alone[0][0], atol=1e-5)


def test_slots_of_weight_zero_only_fill_up(
    convert: Convert, encoders: dict[int, StaticEncoder]
) -> None:
    session = _session(convert("onnx", 7))
    ids, weights, _ = _slots(encoders[7], "aaab aaac")

    plain = session.run(None, {"ids": ids[None], "weights": weights[None]})
    filled = session.run(
        None,
        {
            "ids": np.pad(ids, (0, 30))[None],
            "weights": np.pad(weights, (0, 30))[None],
        },
    )

    np.testing.assert_allclose(plain[0], filled[0], atol=1e-6)
    np.testing.assert_array_equal(plain[1], filled[1])


def test_a_tflite_graph_has_one_signature_with_the_names_and_types(convert: Convert) -> None:
    path = convert("tflite", 7)
    interpreter = pytest.importorskip("ai_edge_litert.interpreter").Interpreter(str(path))

    assert interpreter.get_signature_list() == {
        "serving_default": {"inputs": ["ids", "weights"], "outputs": ["scores", "templates"]}
    }
    inputs = interpreter.get_signature_runner().get_input_details()
    assert {
        name: (np.dtype(d["dtype"]).name, d["shape"].tolist()) for name, d in inputs.items()
    } == {
        "ids": ("int32", [1, LENGTH]),
        "weights": ("float32", [1, LENGTH]),
    }


@pytest.mark.parametrize("file_format", FORMATS)
def test_the_encoder_of_a_folder_holds_codes(
    exported: Callable[[str], Path], file_format: str
) -> None:
    folder = open_exported(exported(file_format))
    rows = 64 + len(folder.read("vocabulary.txt").split(b"\n"))

    for artifact in ("encoder", "recognizer"):
        tensors = _tensors(folder.path / f"{artifact}.{file_format}")
        assert ("int8", (rows, 8)) in tensors
        assert not any(
            dtype == "float32" and shape[:1] == (rows,) and np.prod(shape) > rows
            for dtype, shape in tensors
        )


def _session(path: Path) -> Any:
    return pytest.importorskip("onnxruntime").InferenceSession(
        path, providers=["CPUExecutionProvider"]
    )


def test_the_converter_is_loaded_with_quiet_logs_and_the_environment_stays_as_it_was(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Loaded(Exception):
        pass

    seen: dict[str, str] = {}

    def load(*_: str) -> None:
        seen.update(os.environ)
        raise Loaded

    monkeypatch.setattr(writers, "require", load)
    monkeypatch.delenv("TF_CPP_MIN_LOG_LEVEL", raising=False)
    monkeypatch.setenv("TF_ENABLE_ONEDNN_OPTS", "1")  # the user's setting comes first
    before = dict(os.environ)
    with pytest.raises(Loaded):
        writers.write_tflite(torch.nn.ReLU(), [], ["y"], tmp_path / "x.tflite")
    assert (seen["TF_CPP_MIN_LOG_LEVEL"], seen["TF_ENABLE_ONEDNN_OPTS"]) == ("1", "1")
    assert dict(os.environ) == before


class Transposed(torch.nn.Module):
    """Sums of products with constants of one shape that are not row-major in memory."""

    def __init__(self, number: int) -> None:
        super().__init__()
        generator = torch.Generator().manual_seed(0)
        for place in range(number):
            self.register_buffer(f"c{place}", torch.randn(64, 48, generator=generator).t())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return sum(x * float(n + 1) * c.sum(1) for n, c in enumerate(self.buffers()))


def test_constants_of_one_shape_stay_apart_in_any_layout(tmp_path: Path) -> None:
    pytest.importorskip("litert_torch")
    module, path = Transposed(10), tmp_path / "graph.tflite"
    x = np.linspace(-1, 1, 48, dtype=np.float32)[None]
    expected = module(torch.from_numpy(x)).numpy()
    WRITERS["tflite"](module, [GraphTensor("x", "float32", (1, 48))], ["y"], path)
    graph = pytest.importorskip("ai_edge_litert.interpreter").Interpreter(str(path))
    y = graph.get_signature_runner()(x=x)["y"]
    np.testing.assert_allclose(y, expected, rtol=1e-4, atol=1e-3)
