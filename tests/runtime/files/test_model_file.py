import errno
import json
import os
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors import safe_open

from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.files import model_file
from pocketintent.runtime.files.model_file import DTYPES, ModelFile, load_model, save_model

MANIFEST = {"kind": "static", "dim": 3, "tokenizer": {"name": "simple"}, "note": "é \u2019"}
TENSORS = {
    "words.codes": np.arange(12, dtype=np.uint8).reshape(4, 3),
    "words.norms": np.array([1, 2, 0.5, 3], np.float16),
    "vocabulary.counts": np.array([0, 1, 2], np.uint32),
    "empty": np.zeros((0, 3), np.float32),
}


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "model.safetensors"
    save_model(path, MANIFEST, TENSORS)
    return path


def _assert_same_content(model: ModelFile) -> None:
    expected = {**MANIFEST, "format_version": 1}
    assert {k: v for k, v in model.manifest.items() if k != "sha256"} == expected
    assert model.tensors.keys() == TENSORS.keys()
    for name, array in TENSORS.items():
        assert model.tensors[name].dtype == array.dtype
        np.testing.assert_array_equal(model.tensors[name], array)


def _file(header: bytes, data: bytes = b"") -> bytes:
    return struct.pack("<Q", len(header)) + header + data


def _header(**entries: Any) -> bytes:
    manifest = json.dumps({"kind": "static", "format_version": 1})
    return json.dumps({"__metadata__": {"pocketintent": manifest}, **entries}).encode()


def _tensor(dtype: object = "U8", shape: object = (2,), offsets: object = (0, 2)) -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data_offsets": offsets}


def test_a_model_is_read_as_it_was_saved(saved: Path) -> None:
    _assert_same_content(load_model(saved))


def test_a_name_that_no_file_can_have_is_refused() -> None:
    with pytest.raises(ModelFileError, match=r"'a\\x00b' cannot be read"):
        load_model("a\0b")


def test_tensors_are_read_only_views_of_the_memory_map(saved: Path) -> None:
    for array in load_model(saved).tensors.values():
        assert not array.flags.writeable
        assert not array.flags.owndata


def test_the_safetensors_library_reads_the_file_too(saved: Path) -> None:
    with safe_open(saved, "np") as file:
        assert file.metadata().keys() == {"pocketintent"}
        for name, array in TENSORS.items():
            np.testing.assert_array_equal(file.get_tensor(name), array)


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=DTYPES.keys())
def test_every_dtype_survives(tmp_path: Path, dtype: np.dtype[Any]) -> None:
    array = np.array([[0, 1], [1, 1]]).astype(dtype)
    save_model(tmp_path / "m", MANIFEST, {"scalar": array[0, 0], "turned": array.T})
    tensors = load_model(tmp_path / "m").tensors

    np.testing.assert_array_equal(tensors["turned"], array.T)
    assert tensors["turned"].dtype == dtype
    assert tensors["scalar"].shape == ()


def test_two_saves_of_one_model_are_equal_bytes(saved: Path, tmp_path: Path) -> None:
    save_model(tmp_path / "again", dict(reversed(MANIFEST.items())), TENSORS)

    assert (tmp_path / "again").read_bytes() == saved.read_bytes()


def test_a_loaded_model_stays_whole_when_its_file_is_replaced(saved: Path) -> None:
    model = load_model(saved)
    save_model(saved, MANIFEST, {"words.codes": np.zeros(1, np.uint8)})

    _assert_same_content(model)


@settings(max_examples=400)
@given(data=st.data())
def test_a_flipped_byte_is_refused_or_changes_nothing(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "flipped"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(model_file.os, "fsync", lambda handle: None)  # hundreds of saves
        save_model(path, MANIFEST, TENSORS)
    content = bytearray(path.read_bytes())
    content[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
    path.write_bytes(content)
    try:
        model = load_model(path)
    except ModelFileError:
        return
    _assert_same_content(model)


def test_a_flipped_bit_in_any_byte_is_refused_or_changes_nothing(saved: Path) -> None:
    original = saved.read_bytes()
    for position in range(len(original)):
        content = bytearray(original)
        content[position] ^= 1 << position % 8
        saved.write_bytes(content)
        try:
            model = load_model(saved)
        except ModelFileError:
            continue
        _assert_same_content(model)


def test_a_file_cut_anywhere_or_with_bytes_added_is_refused(saved: Path) -> None:
    content = saved.read_bytes()
    for size in range(len(content)):
        saved.write_bytes(content[:size])
        with pytest.raises(ModelFileError):
            load_model(saved)
    saved.write_bytes(content + b"\0")
    with pytest.raises(ModelFileError, match="longer than its tensors"):
        load_model(saved)


@settings(max_examples=200)
@given(st.binary(max_size=200))
def test_bytes_of_any_kind_are_refused(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "foreign"
    for data in (content, _file(content), _file(b"{" + content)):
        path.write_bytes(data)
        with pytest.raises(ModelFileError):
            load_model(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "only 0 bytes"),
        (b"PK\x03\x04 a zip file, and long enough", "not a safetensors file$"),
        (b'{"lights_on": ["lamp on"]}', "; a template file is given as templates$"),
        (struct.pack("<Q", 2**64 - 1) + b"{}", "not a safetensors file"),
        (struct.pack("<Q", 90_000_000) + b"{}", "truncated: the header needs"),
        (_file(b"{}"), "of another program"),
        (_file(b'{"__metadata__": {"format": "pt"}}'), "of another program"),
        (_file(b'{"__metadata__": {"pocketintent": 3}}'), "of another program"),
        (_file(b'{"__metadata__": {"pocketintent": "[]"}}'), "not a JSON object"),
        (_file(b"{" * 100_000), "not valid JSON"),
        (_file(b'{"a":' * 100_000), "not valid JSON"),
        (_file(b'{"a":' + b"[" * 100_000), "not valid JSON"),
        (_file(b'{"a": 1, "a": 2}'), "a key appears twice"),
        (_file(b'{"a": NaN}'), "NaN is not allowed in JSON"),
        (_file(b'{"a": ' + b"9" * 100_000 + b"}"), "not valid JSON"),
        (_file(b'{"\xff": 1}'), "not valid JSON"),
        (_file(_header(a=_tensor("F4")), b"ab"), "unknown dtype 'F4'"),
        (_file(_header(a=_tensor(["U8"])), b"ab"), "unknown dtype"),
        (_file(_header(a=_tensor(shape=[-2])), b"ab"), "has a shape"),
        (_file(_header(a=_tensor(shape=[True, 2])), b"ab"), "has a shape"),
        (_file(_header(a=_tensor(shape=[2.0])), b"ab"), "has a shape"),
        (_file(_header(a=_tensor(shape=[1] * 9 + [2])), b"ab"), "has a shape"),
        (_file(_header(a=_tensor(shape=[2**62])), b"ab"), "has a shape"),
        (_file(_header(a=_tensor(shape=[2**61, 2**61, 8])), b"ab"), "do not fit"),
        (_file(_header(a=_tensor(shape=[2**61, 2**61, 0], offsets=[0, 0]))), "impossible shape"),
        (_file(_header(a=_tensor(shape=[3])), b"ab"), "do not fit"),
        (_file(_header(a=_tensor("F16")), b"ab"), "do not fit"),
        (_file(_header(a=_tensor(offsets=[2, 0])), b"ab"), "do not fit"),
        (_file(_header(a=_tensor(offsets=[-2, 0])), b"ab"), "data_offsets"),
        (_file(_header(a=_tensor(offsets=[0])), b"ab"), "data_offsets"),
        (_file(_header(a=_tensor(offsets=[1, 3])), b"abc"), "do not fit"),
        (_file(_header(a=_tensor(), b=_tensor()), b"ab"), "do not fit"),
        (_file(_header(a=_tensor()), b"a"), "truncated: the tensors take 2"),
        (_file(_header(a={"dtype": "U8", "shape": [2]}), b"ab"), "must have dtype"),
        (_file(_header(a=[])), "must have dtype"),
        (_file(_header(**{"\ud800": _tensor()}), b"ab"), "cannot be written as JSON"),
        (_file(_header(a=_tensor()), b"ab"), "altered or damaged"),
    ],
)
def test_a_hostile_file_is_refused_with_its_reason(
    tmp_path: Path, content: bytes, message: str
) -> None:
    path = tmp_path / "hostile"
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match=message) as raised:
        load_model(path)
    assert str(path) in str(raised.value)


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        ({"kind": "static", "format_version": 2}, "version 2; .* upgrade"),
        ({"kind": "static", "format_version": "1"}, "format has version '1'"),
        ({"kind": "static", "format_version": True}, "format has version True"),
        ({"kind": "static"}, "format has version None"),
        ({"format_version": 1}, "encoder's kind"),
        ({"format_version": 1, "kind": "static", "big": 2**70}, "cannot be written as JSON"),
    ],
)
def test_a_manifest_of_another_version_is_refused(
    tmp_path: Path, manifest: dict[str, Any], message: str
) -> None:
    metadata = {"__metadata__": {"pocketintent": json.dumps(manifest)}}
    (tmp_path / "m").write_bytes(_file(json.dumps(metadata).encode()))
    with pytest.raises(ModelFileError, match=message):
        load_model(tmp_path / "m")


def test_a_missing_file_and_a_folder_are_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match=r"nowhere.*there is no such model file"):
        load_model(tmp_path / "nowhere")
    with pytest.raises(ModelFileError, match="cannot be read"):
        load_model(tmp_path)


@pytest.mark.parametrize(
    ("manifest", "tensors", "message"),
    [
        ({}, {}, "'kind'"),
        ({"kind": 3}, {}, "'kind'"),
        ({"kind": "static", "x": object()}, {}, "cannot be written as JSON"),
        ({"kind": "static"}, {"a": np.zeros(1, np.complex64)}, "complex64"),
        ({"kind": "static"}, {"a": np.zeros(1, ">f4")}, "cannot be stored"),
        ({"kind": "static"}, {"__metadata__": np.zeros(1)}, "cannot be stored"),
    ],
)
def test_what_the_format_cannot_hold_is_not_saved(
    tmp_path: Path, manifest: dict[str, Any], tensors: dict[str, np.ndarray], message: str
) -> None:
    with pytest.raises(ModelFileError, match=message):
        save_model(tmp_path / "m", manifest, tensors)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("step", ["fsync", "replace", "open"])
def test_a_save_that_fails_leaves_the_old_file_and_nothing_else(
    saved: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    before = saved.read_bytes()

    def fail(*args: object) -> None:
        raise OSError(errno.ENOSPC, "no space left on device")

    monkeypatch.setattr(model_file.os, step, fail)
    with pytest.raises(OSError, match="no space"):
        save_model(saved, {"kind": "other"}, {})
    monkeypatch.undo()

    assert saved.read_bytes() == before
    assert list(saved.parent.iterdir()) == [saved]


@pytest.mark.skipif(os.name != "posix", reason="permissions and links of POSIX")
def test_a_save_keeps_to_the_umask_and_follows_links(saved: Path) -> None:
    link = saved.parent / "link"
    link.symlink_to(saved)
    mask = os.umask(0o027)
    try:
        save_model(link, {"kind": "other"}, {})
    finally:
        os.umask(mask)

    assert link.is_symlink()
    assert load_model(saved).manifest["kind"] == "other"
    assert saved.stat().st_mode & 0o777 == 0o640


def test_the_canonical_json_is_that_of_the_specification() -> None:
    numbers = [1e16, 1.5e-6, 0.00001, -0.0, 1.0, 2**63]
    value = {"\U00010000": numbers, "\uffff": "\x1b\n/é\u2028", "B": None}
    texts = '"B":null,"\uffff":"\\u001b\\n/é\u2028"'
    expected = '"\U00010000":[1e+16,1.5e-6,0.00001,-0.0,1.0,9223372036854775808]'
    assert model_file._canonical_json(value) == f"{{{texts},{expected}}}\n".encode()
