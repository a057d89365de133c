"""Graphs that do not fit the manifest of their folder are refused when it is opened."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

from exports.exported_folders import edit_manifest, rewrite
from pocketintent import IntentRecognizer
from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.graphs.folder import VOCABULARY, open_exported
from pocketintent.runtime.graphs.manifest import MANIFEST


def _change_graph(folder: Path, change: Callable[[Any], None]) -> None:
    model = onnx.load(folder / "encoder.onnx")
    change(model.graph)
    rewrite(folder, "encoder.onnx", model.SerializeToString())


def _open(folder: Path) -> IntentRecognizer:
    return IntentRecognizer.load(None, folder, backend="onnxruntime")


def _free_the_type(graph: Any) -> None:
    graph.input[0].type.tensor_type.elem_type = onnx.TensorProto.INT64


def _fix_the_length(graph: Any) -> None:
    graph.input[0].type.tensor_type.shape.dim[1].dim_value = 3


def _add_an_input(graph: Any) -> None:
    graph.input.append(onnx.helper.make_tensor_value_info("more", onnx.TensorProto.FLOAT, [1]))


def _add_an_output(graph: Any) -> None:
    graph.output.append(graph.input[1])


@pytest.mark.parametrize("change", [_fix_the_length, _add_an_input, _add_an_output])
def test_a_graph_that_does_not_fit_its_manifest_is_refused_when_the_folder_is_opened(
    folder: Path, change: Callable[[Any], None]
) -> None:
    _change_graph(folder, change)
    with pytest.raises(ModelFileError, match=r"encoder\.onnx: the graph does not fit its manifest"):
        _open(folder)


def test_a_graph_that_cannot_be_run_is_refused_when_the_folder_is_opened(folder: Path) -> None:
    _change_graph(folder, _free_the_type)
    with pytest.raises(ModelFileError, match=r"encoder\.onnx"):
        _open(folder)


def test_a_vocabulary_beyond_the_rows_of_the_graph_is_refused(folder: Path) -> None:
    words = "".join(f"\nword{number}" for number in range(10**6))
    rewrite(folder, VOCABULARY, (folder / VOCABULARY).read_bytes() + words.encode())
    with pytest.raises(ModelFileError, match=r"encoder\.onnx: the graph cannot be run"):
        _open(folder)


def test_another_graph_in_place_of_the_encoder_is_refused(folder: Path) -> None:
    rewrite(folder, "encoder.onnx", (folder / "recognizer.onnx").read_bytes())
    with pytest.raises(ModelFileError, match=r"its inputs are ids .*ngram_counts float32"):
        _open(folder)


def test_a_graph_that_returns_nan_is_refused(folder: Path) -> None:
    def spoil(graph: Any) -> None:
        for weights in graph.initializer:
            array = onnx.numpy_helper.to_array(weights)
            if array.dtype.kind == "f" and array.size > 100:
                spoilt = onnx.numpy_helper.from_array(np.full_like(array, np.nan), weights.name)
                weights.CopyFrom(spoilt)

    _change_graph(folder, spoil)
    with pytest.raises(ModelFileError, match="output 'vector' has NaN or infinity"):
        _open(folder)


@pytest.mark.parametrize(
    "entries",
    [
        {"dim": 3},
        {"dim": 1 << 40},
        {"ngrams": {"min_n": 2, "max_n": 3, "num_buckets": 1 << 62, "weight": 1.0}},
        {"decision": ["nearest"]},
        {"decision": "furthest"},
        {"artifacts": {}},
        {"artifacts": {"encoder": {"inputs": 3, "outputs": []}}},
        {"template_codebook": [[[1e300, 0.0]]]},
    ],
)
def test_a_manifest_that_does_not_fit_the_graphs_is_refused(
    folder: Path, entries: dict[str, Any]
) -> None:
    edit_manifest(folder, **entries)
    with pytest.raises(ModelFileError, match="manifest"):
        _open(folder)


def test_an_input_is_padded_to_the_length_of_the_graph_whatever_the_manifest_says(
    folder: Path,
) -> None:
    graph = open_exported(folder, "onnxruntime").graph("encoder")
    free = {name: spec.shape[-1] for name, spec in graph.inputs.items()}
    artifacts = json.loads((folder / MANIFEST).read_bytes())["artifacts"]
    for tensor in artifacts["encoder"]["inputs"]:
        tensor["shape"][-1] = 300_000
    edit_manifest(folder, artifacts=artifacts)
    graph = open_exported(folder, "onnxruntime").graph("encoder")
    assert {name: spec.shape[-1] for name, spec in graph.inputs.items()} == free
