import json
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.teachers.encode import encode_texts, to_text
from pocketintent.training.teachers.models import load_teacher, pool, read_pooling, to_unit

TEXTS = ["turn on the light", "light", "play_music", "", "unknown", "hello", "open the door"] * 5
WORDS = ["[UNK]", "turn", "on", "the", "light", "play", "music"]


class Counting:
    """An encoder that notes what it was asked, and stops after so many batches."""

    def __init__(self, encoder: Any, batches: int = 1 << 30) -> None:
        self.dim = encoder.dim
        self.encode = encoder.encode
        self.asked: list[list[str]] = []
        self._encoder = encoder
        self._left = batches

    def encode_batch(self, texts: Sequence[str]) -> Any:
        if not self._left:
            raise KeyboardInterrupt
        self._left -= 1
        self.asked.append(list(texts))
        return self._encoder.encode_batch(texts)


@pytest.mark.parametrize("batch_size", [1, 2, 100])
def test_texts_get_the_vectors_of_the_teacher_in_their_order(
    tiny_encoder: StaticEncoder, tiny_model: Path, tmp_path: Path, batch_size: int
) -> None:
    wanted = np.stack([tiny_encoder.encode(to_text(text)) for text in TEXTS])
    for teacher in (tiny_encoder, tiny_model, str(tiny_model)):
        for cache in (None, tmp_path / f"{type(teacher).__name__}{batch_size}"):
            encoded = encode_texts(teacher, TEXTS, batch_size, cache=cache)
            assert encoded.terms == TEXTS
            np.testing.assert_array_equal(encoded.vectors, wanted)


def test_a_batch_holds_texts_of_like_length(tiny_encoder: StaticEncoder) -> None:
    teacher = Counting(tiny_encoder)
    texts = ["light " * (number * 7 % 20) for number in range(20)]
    encode_texts(teacher, texts, 5)
    spans = [max(map(len, batch)) - min(map(len, batch)) for batch in teacher.asked]
    assert spans == [4 * len("light ")] * 4


def test_a_run_that_was_stopped_goes_on_where_it_was(
    tiny_encoder: StaticEncoder, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    with pytest.raises(KeyboardInterrupt):
        encode_texts(Counting(tiny_encoder, 20), TEXTS, 1, cache=cache)
    with cache.open("ab") as file:
        file.write(b"cut")  # a row that was not written whole
    again = Counting(tiny_encoder)
    done: list[tuple[int, int]] = []
    encoded = encode_texts(again, TEXTS, 1, cache=cache, progress=lambda *step: done.append(step))
    # The first text is asked for again, to see that the teacher is the same.
    assert len(again.asked) == 1 + len(TEXTS) - 16
    assert done[-1] == (len(TEXTS), len(TEXTS))
    np.testing.assert_array_equal(encoded.vectors, encode_texts(tiny_encoder, TEXTS).vectors)
    whole = Counting(tiny_encoder)
    encode_texts(whole, TEXTS, 1, cache=cache)
    assert len(whole.asked) == 1


def test_a_cache_of_other_texts_or_another_teacher_is_refused(
    tiny_encoder: StaticEncoder, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    cache.write_bytes(b'{"vec')  # stopped while it was begun
    encode_texts(tiny_encoder, TEXTS, cache=cache)
    with pytest.raises(PocketIntentError, match="of other texts"):
        encode_texts(tiny_encoder, TEXTS[1:], cache=cache)
    words = tiny_encoder.words.decode()[::-1].copy()
    other = StaticEncoder(tiny_encoder.vocabulary, type(tiny_encoder.words)(words))
    with pytest.raises(PocketIntentError, match="of another teacher; delete it"):
        encode_texts(other, TEXTS, cache=cache)
    with pytest.raises(PocketIntentError, match="cannot be used as a cache"):
        encode_texts(tiny_encoder, TEXTS, cache=tmp_path / "none" / "cache")


def test_no_texts_a_bad_batch_size_and_nan_are_named(tiny_encoder: StaticEncoder) -> None:
    with pytest.raises(PocketIntentError, match="no texts"):
        encode_texts(tiny_encoder, [])
    with pytest.raises(PocketIntentError, match="batch size must be 1 or more"):
        encode_texts(tiny_encoder, ["a"], 0)
    broken = Counting(tiny_encoder)
    broken.encode_batch = lambda texts: np.full((len(texts), tiny_encoder.dim), np.nan)  # type: ignore[method-assign]
    with pytest.raises(PocketIntentError, match="vector of 'play music' is not finite"):
        encode_texts(broken, ["play_music"])


def test_a_joined_term_is_read_as_its_words() -> None:
    assert to_text("machine_learning") == "machine learning"
    assert to_text("the file my_file.txt") == "the file my_file.txt"
    assert to_text("_") == "_"


@given(st.lists(st.integers(0, 5), min_size=1, max_size=4), st.integers(0, 2**32 - 1))
def test_pooling_ignores_padding(lengths: list[int], seed: int) -> None:
    states = np.random.default_rng(seed).standard_normal((len(lengths), 5, 3), np.float32)
    mask = np.array([[int(place < length) for place in range(5)] for length in lengths])
    mean = np.array(
        [row[:n].mean(axis=0) if n else np.zeros(3) for row, n in zip(states, lengths, strict=True)]
    )
    np.testing.assert_allclose(pool(states, mask, "mean"), mean, atol=1e-5)
    first = np.array([row[0] if n else np.zeros(3) for row, n in zip(states, lengths, strict=True)])
    np.testing.assert_allclose(pool(states, mask, "cls"), first, atol=1e-6)
    norms = np.linalg.norm(to_unit(pool(states, mask, "mean")), axis=1)
    np.testing.assert_allclose(norms, [float(n > 0) for n in lengths], atol=1e-5)


def test_a_folder_says_how_it_pools(tmp_path: Path) -> None:
    assert read_pooling(tmp_path) == "mean"
    (tmp_path / "1_Pooling").mkdir()
    config = tmp_path / "1_Pooling" / "config.json"
    for modes, wanted in (({"cls_token": True, "mean_tokens": False}, "cls"), ({}, "mean")):
        config.write_text(json.dumps({f"pooling_mode_{key}": on for key, on in modes.items()}))
        assert read_pooling(tmp_path) == wanted
    config.write_text('{"pooling_mode_max_tokens": true}')
    with pytest.raises(PocketIntentError, match="pooling by max_tokens is not known"):
        read_pooling(tmp_path)
    config.write_text("{")
    with pytest.raises(PocketIntentError, match=r"config\.json: not JSON"):
        read_pooling(tmp_path)
    (tmp_path / "modules.json").write_text('[{"type": "sentence_transformers.models.Dense"}]')
    with pytest.raises(PocketIntentError, match=r"the layer sentence_transformers\.models\.Dense"):
        read_pooling(tmp_path)


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
    wanted = to_unit(np.stack([table[1:5].mean(axis=0), table[4], np.zeros(4, "f"), table[0]]))
    texts = ["turn on the light", "light", "", "else"]
    for path in (tmp_path, tmp_path / "model.onnx"):
        teacher = load_teacher(path)
        np.testing.assert_allclose(teacher.encode_batch(texts), wanted, atol=1e-6)
        np.testing.assert_allclose(teacher.encode("play music"), to_unit(table[5:].sum(0)[None])[0])
        assert teacher.dim == 4
    short = load_teacher(tmp_path, max_tokens=1)
    np.testing.assert_allclose(short.encode(texts[0]), to_unit(table[1:2])[0], atol=1e-6)
    np.testing.assert_allclose(encode_texts(tmp_path, texts).vectors, wanted, atol=1e-6)


class Library:
    """Stands in for transformers, which takes ten seconds to import: a table of token states."""

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

    def to(self, device: str) -> "Library":
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


def test_a_transformer_of_a_local_folder_is_pooled(
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
    # Three positions are all that the model has.
    wanted = to_unit(np.stack([table[1:4].mean(axis=0), table[4], np.zeros(4, "f")]))
    batch = teacher.encode_batch(["turn on the light", "light", ""])
    np.testing.assert_allclose(batch, wanted, atol=1e-6)
    np.testing.assert_allclose(teacher.encode("light"), wanted[1], atol=1e-6)
    assert not teacher.encode("").any()


def test_a_missing_package_is_named_with_its_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    for name in ("config.json", "pytorch_model.bin"):
        (tmp_path / name).write_bytes(b"{}")
    with pytest.raises(PocketIntentError, match=r"pip install .pocketintent\[teacher\]"):
        load_teacher(tmp_path)


def test_what_is_no_teacher_is_named(tmp_path: Path) -> None:
    with pytest.raises(PocketIntentError, match="there is no such teacher"):
        load_teacher(tmp_path / "none.safetensors")
    with pytest.raises(PocketIntentError, match="holds no sentence encoder"):
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
    with pytest.raises(PocketIntentError, match=r"tokenizer\.json: is no tokenizer"):
        load_teacher(tmp_path)
    (tmp_path / "b.onnx").write_bytes(b"")
    with pytest.raises(PocketIntentError, match=r"several graphs, a\.onnx, b\.onnx"):
        load_teacher(tmp_path)
