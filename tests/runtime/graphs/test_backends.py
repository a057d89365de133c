import importlib.util
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from pocketintent.runtime.errors import MissingExtraError, ModelFileError
from pocketintent.runtime.graphs import backends
from pocketintent.runtime.graphs.backends import GRAPHS, OnnxGraph, TfliteGraph
from pocketintent.runtime.graphs.folder import BACKENDS, open_exported

FORMATS = sorted(BACKENDS.values())
SOURCE = Path("some") / "graph.bin"

Exported = Callable[[str], Path]


def _hide(monkeypatch: pytest.MonkeyPatch, *packages: str) -> None:
    for package in packages:
        for name in {package, *(name for name in sys.modules if name.startswith(package + "."))}:
            monkeypatch.setitem(sys.modules, name, None)
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name in packages else real(name)
    )


def _pretend_tflite_runtime(monkeypatch: pytest.MonkeyPatch, interpreter: Any) -> None:
    """Simulate an environment with tflite-runtime and without ai-edge-litert."""
    module = ModuleType("tflite_runtime.interpreter")
    module.Interpreter = interpreter  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tflite_runtime", ModuleType("tflite_runtime"))
    monkeypatch.setitem(sys.modules, "tflite_runtime.interpreter", module)
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: object() if name == "tflite_runtime" else None
    )


def test_without_onnx_runtime_its_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    _hide(monkeypatch, "onnxruntime")

    with pytest.raises(MissingExtraError, match=r'pip install "\.\[onnxruntime\]"'):
        OnnxGraph(b"", SOURCE)


def test_without_an_interpreter_the_extra_tflite_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _hide(monkeypatch, "ai_edge_litert", "tflite_runtime")

    with pytest.raises(MissingExtraError, match=r'pip install "\.\[tflite\]"'):
        TfliteGraph(b"", SOURCE)


@pytest.mark.parametrize("version", ["2.0.0", "2.2.6", "3.1"])
def test_tflite_runtime_beside_a_newer_numpy_is_refused_with_both_remedies(
    monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    _pretend_tflite_runtime(monkeypatch, None)
    monkeypatch.setattr(np, "__version__", version)

    with pytest.raises(MissingExtraError, match=f"NumPy below 2, and {version}") as raised:
        TfliteGraph(b"", SOURCE)
    assert "ai-edge-litert" in str(raised.value)
    assert "numpy<2" in str(raised.value)


def test_tflite_runtime_beside_numpy_1_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    def interpreter(**settings: Any) -> Any:
        raise ValueError(f"called with {settings}")

    _pretend_tflite_runtime(monkeypatch, interpreter)
    monkeypatch.setattr(np, "__version__", "1.26.4")

    with pytest.raises(ModelFileError, match=r"called with .*'num_threads': 1"):
        TfliteGraph(b"", SOURCE)


def test_ai_edge_litert_is_preferred_to_tflite_runtime(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ai_edge_litert")
    _hide(monkeypatch, "tflite_runtime")
    expected = backends._interpreter_class()
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())

    assert backends._interpreter_class() is expected


@pytest.mark.parametrize("content", [b"", b"no graph", b"\0" * 4096, b"\x18\0\0\0TFL3" * 99])
@pytest.mark.parametrize("file_format", FORMATS)
def test_bytes_that_are_not_a_graph_are_refused_with_the_file(
    file_format: str, content: bytes
) -> None:
    pytest.importorskip({"onnx": "onnxruntime", "tflite": "ai_edge_litert"}[file_format])

    with pytest.raises(ModelFileError, match="cannot run it") as raised:
        GRAPHS[file_format](content, SOURCE)
    assert str(SOURCE) in str(raised.value)


@pytest.mark.parametrize("file_format", FORMATS)
def test_a_truncated_graph_is_refused_with_the_file(exported: Exported, file_format: str) -> None:
    content = (exported(file_format) / f"encoder.{file_format}").read_bytes()

    for size in (len(content) // 2, len(content) - 500, 100):
        with pytest.raises(ModelFileError, match=r"graph\.bin: .* cannot run it"):
            GRAPHS[file_format](content[:size], SOURCE)


@pytest.mark.parametrize("artifact", ["encoder", "recognizer"])
@pytest.mark.parametrize("file_format", FORMATS)
def test_outputs_are_named_and_have_no_batch_axis(
    exported: Exported, file_format: str, artifact: str
) -> None:
    folder = open_exported(exported(file_format))
    outputs_in_manifest = folder.manifest.entries["artifacts"][artifact]["outputs"]

    text = "turn on the lights"
    features = folder.features()(text) if artifact == "recognizer" else {}

    outputs = folder.graph(artifact).run(folder.inputs()(text).arrays() | features)

    assert set(outputs) == {output["name"] for output in outputs_in_manifest}
    for output in outputs_in_manifest:
        value = outputs[output["name"]]
        assert value.dtype == np.dtype(output["dtype"])
        assert value.shape == tuple(output["shape"][1:])


@pytest.mark.parametrize("file_format", FORMATS)
def test_no_slots_give_a_vector_of_zeros(exported: Exported, file_format: str) -> None:
    nothing = {"ids": np.empty(0, np.int32), "weights": np.empty(0, np.float32)}

    vector = open_exported(exported(file_format)).graph("encoder").run(nothing)["vector"]

    np.testing.assert_array_equal(vector, np.zeros(32, np.float32))


@pytest.mark.parametrize("file_format", FORMATS)
def test_a_run_does_not_overwrite_the_outputs_of_the_run_before(
    exported: Exported, file_format: str
) -> None:
    folder = open_exported(exported(file_format))
    graph, inputs = folder.graph("encoder"), folder.inputs()

    first = graph.run(inputs("lamp on").arrays())["vector"]
    copy = first.copy()
    graph.run(inputs("play some jazz").arrays())

    np.testing.assert_array_equal(first, copy)


@pytest.mark.parametrize("file_format", FORMATS)
def test_threads_share_a_graph(exported: Exported, file_format: str) -> None:
    folder = open_exported(exported(file_format))
    graph, inputs = folder.graph("encoder"), folder.inputs()
    texts = ["turn on the lights", "play music", "", "hello unheard", "lamp off please"] * 40

    def encode(text: str) -> np.ndarray:
        return graph.run(inputs(text).arrays())["vector"]

    expected = {text: encode(text) for text in texts}
    with ThreadPoolExecutor(8) as pool:
        for text, vector in zip(texts, pool.map(encode, texts), strict=True):
            np.testing.assert_array_equal(vector, expected[text])
