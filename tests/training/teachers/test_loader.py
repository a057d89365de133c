import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.teachers.encode import encode_texts
from pocketintent.training.teachers.encoders import to_unit
from pocketintent.training.teachers.loader import load_teacher

WORDS = ["[UNK]", "turn", "on", "the", "light", "play", "music"]


def write_tokenizer(folder: Path) -> Any:
    tokenizers = pytest.importorskip("tokenizers")
    ids = {word: number for number, word in enumerate(WORDS)}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(ids, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    return tokenizer


def write_graph(path: Path, table: Any) -> None:
    """A graph that looks token ids up in a table: [texts, tokens] to [texts, tokens, dim]."""
    onnx = pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    helper, kinds = onnx.helper, onnx.TensorProto
    ids = helper.make_tensor_value_info("input_ids", kinds.INT64, ["b", "t"])
    out = helper.make_tensor_value_info("states", kinds.FLOAT, ["b", "t", table.shape[1]])
    graph = helper.make_graph(
        [helper.make_node("Gather", ["table", "input_ids"], ["states"])],
        "lookup",
        [ids],
        [out],
        [onnx.numpy_helper.from_array(table, "table")],
    )
    opset = [helper.make_opsetid("", 17)]
    onnx.save(helper.make_model(graph, opset_imports=opset, ir_version=8), path)


def test_an_onnx_graph_of_token_states_is_pooled(tmp_path: Path) -> None:
    table = np.random.default_rng(0).standard_normal((len(WORDS), 4), np.float32)
    write_tokenizer(tmp_path)
    write_graph(tmp_path / "model.onnx", table)
    expected = to_unit(np.stack([table[1:5].mean(axis=0), table[4], np.zeros(4, "f"), table[0]]))
    texts = ["turn on the light", "light", "", "else"]
    for path in (tmp_path, tmp_path / "model.onnx"):
        teacher = load_teacher(path)
        np.testing.assert_allclose(teacher.encode_batch(texts), expected, atol=1e-6)
        np.testing.assert_allclose(teacher.encode("play music"), to_unit(table[5:].sum(0)[None])[0])
        assert teacher.dim == 4
        assert teacher.encode_batch([]).shape == (0, 4)
    short = load_teacher(tmp_path, max_tokens=1)
    np.testing.assert_allclose(short.encode(texts[0]), to_unit(table[1:2])[0], atol=1e-6)
    np.testing.assert_allclose(encode_texts(tmp_path, texts).vectors, expected, atol=1e-6)


class Library:
    """Replaces transformers, which takes ten seconds to import, by a table of token states."""

    def __init__(self, table: Any, seen: list[dict[str, Any]]) -> None:
        self.torch = pytest.importorskip("torch")
        self.table = self.torch.tensor(table)
        self.seen = seen
        self.AutoModel = self.AutoTokenizer = self
        self.config = SimpleNamespace(hidden_size=table.shape[1], max_position_embeddings=3)

    def from_pretrained(self, folder: Path, **options: Any) -> Any:
        self.seen.append(options)
        if not (folder / "vocab").is_file():
            raise OSError(f"{folder} has no vocabulary")
        return self if len(self.seen) % 2 == 0 else self.tokenize

    def to(self, device: str, dtype: object) -> "Library":
        return self

    def eval(self) -> "Library":
        return self

    def tokenize(self, texts: list[str], *, max_length: int, **_: Any) -> Any:
        ids = [[WORDS.index(word) for word in text.split()][:max_length] for text in texts]
        longest = max(map(len, ids))
        rows = [row + [0] * (longest - len(row)) for row in ids]
        mask = [[1] * len(row) + [0] * (longest - len(row)) for row in ids]
        return Batch(input_ids=self.torch.tensor(rows), attention_mask=self.torch.tensor(mask))

    def __call__(self, input_ids: Any, attention_mask: Any) -> Any:
        return SimpleNamespace(last_hidden_state=self.table[input_ids])


class Batch(dict[str, Any]):
    def to(self, device: str) -> "Batch":
        return self


def test_a_transformer_in_a_local_folder_is_pooled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = np.random.default_rng(0).standard_normal((len(WORDS), 4), np.float32)
    seen: list[dict[str, Any]] = []
    monkeypatch.setitem(sys.modules, "transformers", Library(table, seen))
    for name in ("config.json", "model.safetensors", "model.onnx"):
        (tmp_path / name).write_bytes(b"{}")
    with pytest.raises(PocketIntentError, match=r"cannot read it: .* has no vocabulary"):
        load_teacher(tmp_path)
    seen.clear()
    (tmp_path / "vocab").touch()
    teacher = load_teacher(tmp_path)
    assert seen == [{"local_files_only": True}] * 2
    # The model has only three positions.
    expected = to_unit(np.stack([table[1:4].mean(axis=0), table[4], np.zeros(4, "f")]))
    batch = teacher.encode_batch(["turn on the light", "light", ""])
    np.testing.assert_allclose(batch, expected, atol=1e-6)
    np.testing.assert_allclose(teacher.encode("light"), expected[1], atol=1e-6)
    assert not teacher.encode("").any()
    assert teacher.encode_batch([]).shape == (0, 4)


def test_the_error_for_a_missing_package_names_its_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    for name in ("config.json", "pytorch_model.bin"):
        (tmp_path / name).write_bytes(b"{}")
    with pytest.raises(PocketIntentError, match=r'pip install "\.\[teacher\]"'):
        load_teacher(tmp_path)


def test_errors_name_what_is_missing_or_unusable(tmp_path: Path) -> None:
    with pytest.raises(PocketIntentError, match="there is no such teacher"):
        load_teacher(tmp_path / "none.safetensors")
    with pytest.raises(PocketIntentError, match="contains no sentence encoder"):
        load_teacher(tmp_path)
    pytest.importorskip("onnxruntime")
    pytest.importorskip("tokenizers")
    (tmp_path / "a.onnx").write_bytes(b"no graph")
    with pytest.raises(PocketIntentError, match=r"tokenizer\.json: there is no such file"):
        load_teacher(tmp_path)
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(PocketIntentError, match=r"a\.onnx: ONNX Runtime cannot read it"):
        load_teacher(tmp_path)
    write_graph(tmp_path / "a.onnx", np.ones((2, 2), np.float32))
    with pytest.raises(PocketIntentError, match=r"tokenizer\.json: not a tokenizer"):
        load_teacher(tmp_path)
    (tmp_path / "b.onnx").write_bytes(b"")
    with pytest.raises(PocketIntentError, match=r"several graphs, a\.onnx, b\.onnx"):
        load_teacher(tmp_path)
