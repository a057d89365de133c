"""What holds for the exported folder of every kind of model."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exports.exported_folders import backend_of, read_conformance, read_manifest
from pocketintent import IntentRecognizer
from pocketintent.runtime.graphs.folder import open_exported
from pocketintent_export.conformance import NUM_UTTERANCES, SHARES


@pytest.fixture(params=["onnx", "tflite"])
def folder(request: pytest.FixtureRequest, exported: Callable[..., Path], kind: str) -> Path:
    return exported(request.param, kind)


def test_the_manifest_lists_every_file_with_its_size(folder: Path) -> None:
    files = read_manifest(folder)["files"]
    sizes = {path.name: path.stat().st_size for path in folder.iterdir()}
    assert {name: entry["bytes"] for name, entry in files.items()} | {
        "manifest.json": sizes["manifest.json"]
    } == sizes


def test_the_proof_is_within_bounds_and_recorded(folder: Path) -> None:
    proof = read_manifest(folder)["proof"]
    assert proof["utterances"] == NUM_UTTERANCES
    assert proof["intents_differing"] == 0
    assert proof["vector_difference"] <= 1e-4
    assert proof["score_difference"] <= 1e-4


def test_the_conformance_file_has_all_sources_and_no_text_twice(folder: Path) -> None:
    lines = read_conformance(folder)
    assert len(lines) == NUM_UTTERANCES
    assert len({line["text"] for line in lines}) == NUM_UTTERANCES
    assert {line["source"] for line in lines} == set(SHARES)
    assert {line["reason"] for line in lines} >= {None, "unknown_words"}


def test_the_conformance_vectors_are_those_of_the_graph(folder: Path) -> None:
    exported = open_exported(folder)
    recognizer = IntentRecognizer.load(model=folder, backend=backend_of(exported))
    for line in read_conformance(folder)[::25]:
        vector = recognizer.encoder.encode(recognizer.read(line["text"]))[: len(line["vector"])]
        assert np.abs(vector - line["vector"]).max(initial=0.0) < 1e-4


def test_the_artifacts_are_what_the_graphs_take_and_give(folder: Path) -> None:
    for artifact in read_manifest(folder)["artifacts"].values():
        path = folder / artifact["file"]
        read = _onnx_tensors if path.suffix == ".onnx" else _tflite_tensors
        for side, tensors in zip(("inputs", "outputs"), read(path), strict=True):
            assert tensors == {
                tensor["name"]: (tensor["dtype"], tensor["shape"]) for tensor in artifact[side]
            }


def _onnx_tensors(path: Path) -> list[dict[str, Any]]:
    runtime = pytest.importorskip("onnxruntime")
    session = runtime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    types = {"tensor(float)": "float32", "tensor(int32)": "int32"}
    return [
        {tensor.name: (types[tensor.type], tensor.shape) for tensor in tensors}
        for tensors in (session.get_inputs(), session.get_outputs())
    ]


def _tflite_tensors(path: Path) -> list[dict[str, Any]]:
    interpreter = pytest.importorskip("ai_edge_litert.interpreter").Interpreter(str(path))
    runner = interpreter.get_signature_runner("serving_default")
    return [
        {
            name: (np.dtype(detail["dtype"]).name, detail["shape"].tolist())
            for name, detail in details.items()
        }
        for details in (runner.get_input_details(), runner.get_output_details())
    ]
