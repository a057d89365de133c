import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exports.exported_folders import (
    BAD_VALUES,
    KEYS,
    check_bad_entry,
    check_conformance,
    edit_manifest,
    rewrite,
    use_folder,
)
from pocketintent import IntentRecognizer, PocketIntentError
from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.files.model_file import save_model
from pocketintent.runtime.graphs.encoder import GraphEncoder
from pocketintent.runtime.graphs.folder import (
    BACKENDS,
    LABELS,
    STATE,
    VOCABULARY,
    open_exported,
)
from pocketintent.runtime.graphs.manifest import FORMAT_VERSION, MANIFEST

FORMATS = sorted(BACKENDS.values())
Exported = Callable[..., Path]


@pytest.mark.parametrize("file_format", FORMATS)
def test_a_folder_returns_the_exported_templates(exported: Exported, file_format: str) -> None:
    templates = open_exported(exported(file_format)).templates()

    assert list(templates.intents) == ["lights_on", "lights_off", "play_music", "greet"]
    assert templates.intents["greet"].templates == ["hello"]
    assert templates.intents["play_music"].threshold == 0.6
    assert templates.intents["greet"].threshold is None
    assert (templates.language, templates.threshold, templates.margin) == ("en", 0.4, 0.01)


@pytest.mark.parametrize("file_format", FORMATS)
def test_the_runtime_looks_for_negations_as_the_conformance_file(
    exported: Exported, file_format: str
) -> None:
    check_conformance(exported(file_format, negated=True))


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_missing_folder_is_refused_with_the_export_command(tmp_path: Path, backend: str) -> None:
    command = f"pocketintent export --templates FILE --format {BACKENDS[backend]}"
    (tmp_path / "file").write_text("{}")
    for name in ("nowhere", "file"):
        with pytest.raises(ModelFileError, match=command) as raised:
            open_exported(tmp_path / name, backend)
        assert str(tmp_path / name) in str(raised.value)
    with pytest.raises(ModelFileError, match="This reads an exported model: pocketintent export"):
        open_exported(tmp_path / "nowhere")


def test_a_model_file_is_not_an_exported_folder(compressed_model: Path) -> None:
    with pytest.raises(ModelFileError, match="pocketintent export"):
        IntentRecognizer.load({"a": ["lamp"]}, compressed_model, backend="onnxruntime")


def test_an_exported_folder_is_not_a_model_file(folder: Path) -> None:
    with pytest.raises(ModelFileError, match="copy"):
        IntentRecognizer.load({"a": ["lamp"]}, folder)


def test_a_folder_without_a_manifest_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match=r"manifest\.json cannot be read"):
        open_exported(tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is not JSON"),
        (b"{", "is not JSON"),
        (b"\xff\xfe", "is not JSON"),
        (b"[]", "is not the manifest of an export"),
        (b"3", "is not the manifest of an export"),
        (b"{}", "is not the manifest of an export"),
        (b'{"format_version": true, "format": "onnx"}', "is not the manifest"),
        (b'{"format_version": 1, "format": "gguf"}', "is not the manifest"),
        (b'{"format_version": 1, "format": []}', "is not the manifest"),
    ],
)
def test_a_file_that_is_not_a_manifest_is_refused_by_name(
    tmp_path: Path, content: bytes, message: str
) -> None:
    (tmp_path / MANIFEST).write_bytes(content)

    with pytest.raises(ModelFileError, match=message) as raised:
        open_exported(tmp_path)
    assert str(tmp_path / MANIFEST) in str(raised.value)


def test_a_folder_of_a_later_version_is_refused_with_the_remedy(folder: Path) -> None:
    edit_manifest(folder, format_version=FORMAT_VERSION + 1)

    with pytest.raises(ModelFileError, match=r"format has version 2; .* upgrade") as raised:
        open_exported(folder)
    assert str(folder) in str(raised.value)


def test_a_folder_for_another_backend_is_refused_with_the_right_backend(exported: Exported) -> None:
    for backend, other in (("tflite", "onnxruntime"), ("onnxruntime", "tflite")):
        folder = exported(BACKENDS[other])
        with pytest.raises(ModelFileError, match=f"backend '{other}' runs, not '{backend}'"):
            open_exported(folder, backend)


@pytest.mark.parametrize("name", ["encoder.onnx", "recognizer.onnx", VOCABULARY, LABELS, STATE])
@pytest.mark.parametrize("damage", ["altered", "truncated", "missing", "a folder"])
def test_a_damaged_file_is_refused_by_name(folder: Path, name: str, damage: str) -> None:
    content = (folder / name).read_bytes()
    (folder / name).unlink()
    if damage == "altered":
        (folder / name).write_bytes(bytes([content[0] ^ 1]) + content[1:])
    elif damage == "truncated":
        (folder / name).write_bytes(content[:-1])
    elif damage == "a folder":
        (folder / name).mkdir()

    expected = "altered or damaged" if damage in ("altered", "truncated") else "cannot be read"
    with pytest.raises(ModelFileError, match=expected) as raised:
        use_folder(folder)
    assert str(folder / name) in str(raised.value)


def test_a_file_that_the_manifest_does_not_list_is_not_read(folder: Path) -> None:
    edit_manifest(folder, files={})

    with pytest.raises(ModelFileError, match=r"manifest\.json lists no file 'vocabulary\.txt'"):
        use_folder(folder)


@pytest.mark.parametrize("value", BAD_VALUES, ids=json.dumps)
@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("model", ["static", "combined", "contextual", "transformer"])
def test_a_manifest_with_a_bad_entry_works_or_is_refused_by_name(
    exported: Exported, tmp_path: Path, model: str, key: str, value: Any
) -> None:
    check_bad_entry(exported("onnx", model), tmp_path / "copy", key, value)


CHARACTERS = {"normalisation": "nfkc-lower-1", "max_chars": 8, "known": "abc"}


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (CHARACTERS | {"normalisation": "nfd"}, "unknown normalisation 'nfd'"),
        (CHARACTERS | {"normalisation": ["nfd"]}, "unknown normalisation"),
        (CHARACTERS | {"max_chars": 0}, "max_chars must be 1 or more"),
        (CHARACTERS | {"max_chars": "8"}, "must have normalisation, max_chars and known"),
        (CHARACTERS | {"known": "aba"}, "twice"),
        (CHARACTERS | {"known": ["a", "b"]}, "must have normalisation, max_chars and known"),
    ],
)
@pytest.mark.parametrize("model", ["text", "words", "combined"])
def test_a_bad_entry_for_characters_is_refused_by_name(
    exported: Exported, tmp_path: Path, model: str, entry: dict[str, Any], message: str
) -> None:
    folder = Path(shutil.copytree(exported("onnx", model), tmp_path / "copy"))
    edit_manifest(folder, characters=entry)

    with pytest.raises(ModelFileError, match=rf"manifest\.json: .*{message}"):
        open_exported(folder).inputs()


@pytest.mark.parametrize("reads", ["minds", "Text", "words"])
def test_a_reading_that_the_graphs_do_not_have_is_refused(
    exported: Exported, tmp_path: Path, reads: str
) -> None:
    folder = Path(shutil.copytree(exported("onnx", "text"), tmp_path / "copy"))
    edit_manifest(folder, reads=reads)

    with pytest.raises(ModelFileError, match=r"manifest\.json: reads is .* but the graphs take"):
        open_exported(folder).inputs()


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({}, "'features' is {}"),
        (None, "'features' is None"),
        ({"ngram_counts": {"min_n": 2, "max_n": 6, "num_buckets": 512}}, "this runtime computes"),
    ],
)
def test_features_that_this_runtime_does_not_compute_are_refused(
    folder: Path, entry: Any, message: str
) -> None:
    edit_manifest(folder, features=entry)

    with pytest.raises(ModelFileError, match=rf"manifest\.json: .*{message}.*upgrade"):
        open_exported(folder).features()


def test_a_recogniser_does_not_answer_by_a_feature_that_this_runtime_does_not_know(
    folder: Path,
) -> None:
    features = open_exported(folder).manifest.entries["features"]
    edit_manifest(folder, features=features | {"mood": {}})

    with pytest.raises(ModelFileError, match=r"manifest\.json: 'features' is .*mood.*upgrade"):
        IntentRecognizer.load(None, folder, backend="onnxruntime")


@pytest.mark.parametrize("entry", [{}, {"words": []}, {"words": "not"}, {"words": [1]}, None])
def test_negations_that_are_no_words_are_refused(
    exported: Exported, tmp_path: Path, entry: Any
) -> None:
    folder = Path(shutil.copytree(exported("onnx", negated=True), tmp_path / "copy"))
    features = open_exported(folder).manifest.entries["features"]
    edit_manifest(folder, features=features | {"negation": entry})

    message = r"manifest\.json: .*(at least one token|'features' is)"
    with pytest.raises(ModelFileError, match=message):
        open_exported(folder).features()


def test_the_words_of_the_manifest_are_the_negations(exported: Exported, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(exported("onnx", negated=True), tmp_path / "copy"))
    features = open_exported(folder).manifest.entries["features"]
    edit_manifest(folder, features=features | {"negation": {"words": ["nie"]}})

    compute = open_exported(folder).features()
    assert [compute(text)["negation"].tolist() for text in ("not", "nie", "")] == [[0], [1], [0]]


def test_an_input_that_this_runtime_does_not_know_is_refused(folder: Path) -> None:
    artifacts = open_exported(folder).manifest.entries["artifacts"]
    artifacts["recognizer"]["inputs"].append({"name": "mood", "dtype": "float32", "shape": [1, 3]})
    edit_manifest(folder, artifacts=artifacts)

    with pytest.raises(ModelFileError, match=r"manifest\.json: the recogniser takes mood; upgrade"):
        open_exported(folder).features()


def test_a_folder_without_a_state_is_encoded_and_fitted(folder: Path) -> None:
    expected = IntentRecognizer.load(None, folder, backend="onnxruntime").match("lamp on")
    files = open_exported(folder).manifest.entries["files"]
    edit_manifest(folder, files={k: v for k, v in files.items() if k != STATE})
    (folder / STATE).unlink()

    match = IntentRecognizer.load(None, folder, backend="onnxruntime").match("lamp on")
    assert match.intent == expected.intent
    assert match.score == pytest.approx(expected.score, abs=1e-3)


@pytest.mark.parametrize("part", ["index", "decision"])
def test_a_state_that_does_not_fit_the_labels_is_refused_by_name(folder: Path, part: str) -> None:
    state = open_exported(folder).state()
    assert state is not None
    manifest = {key: value for key, value in state.manifest.items() if key != part}
    tensors = {name: np.array(tensor) for name, tensor in state.tensors.items()}
    save_model(folder / "other", manifest, tensors)
    rewrite(folder, STATE, (folder / "other").read_bytes())

    with pytest.raises(ModelFileError, match=rf"state\.safetensors: .*'{part}'"):
        IntentRecognizer.load(None, folder, backend="onnxruntime")


def test_a_damaged_characters_graph_is_refused_by_name(exported: Exported, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(exported("onnx", "combined"), tmp_path / "copy"))
    content = (folder / "characters.onnx").read_bytes()
    (folder / "characters.onnx").write_bytes(content[:-1])

    with pytest.raises(ModelFileError, match=r"characters\.onnx was altered or damaged"):
        GraphEncoder(open_exported(folder))


@pytest.mark.parametrize("model", ["words", "combined"])
@pytest.mark.parametrize("file_format", FORMATS)
def test_a_word_is_spelt_out_once(
    exported: Exported, file_format: str, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder = GraphEncoder(open_exported(exported(file_format, model)))
    first = encoder.encode("pleese lmap pleese")
    assert encoder._spell is not None
    monkeypatch.setattr(encoder._spell, "_graph", None)

    np.testing.assert_array_equal(encoder.encode("Pleese lmap, pleese!"), first)
    with pytest.raises(AttributeError):
        encoder.encode("another")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"{}",
        b'{"intents": 3}',
        b'{"intents": [3]}',
        b'{"intents": [{}]}',
        b'{"intents": [{"name": 3, "templates": ["a"]}]}',
        b'{"intents": [{"name": [], "templates": ["a"]}]}',
        b'{"intents": [{"name": "a", "templates": 3}]}',
        b'{"threshold": "x", "intents": [{"name": "a", "templates": ["a"]}]}',
    ],
)
def test_bad_labels_are_refused_by_name(folder: Path, content: bytes) -> None:
    rewrite(folder, LABELS, content)

    with pytest.raises(PocketIntentError, match=r"labels\.json") as raised:
        open_exported(folder).templates()
    assert str(folder / LABELS) in str(raised.value)


@pytest.mark.parametrize("content", [b"\xff", b"a\nb\na", b"a\n\nb"])
def test_a_bad_vocabulary_is_refused_by_name(folder: Path, content: bytes) -> None:
    rewrite(folder, VOCABULARY, content)

    with pytest.raises(ModelFileError, match=r"vocabulary\.txt"):
        open_exported(folder).inputs()


def test_a_file_that_is_not_a_graph_is_refused_by_name(folder: Path) -> None:
    rewrite(folder, "encoder.onnx", b"no graph")

    with pytest.raises(ModelFileError, match=r"encoder\.onnx: ONNX Runtime cannot run it"):
        use_folder(folder)


def test_a_file_instead_of_an_exported_folder_is_refused_as_a_file(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    with pytest.raises(ModelFileError, match="there is no such folder"):
        open_exported(path)
    path.write_bytes(b"")
    with pytest.raises(ModelFileError, match="is a file, not an exported folder"):
        open_exported(path)


def test_a_correction_by_other_rules_is_refused(exported: Exported) -> None:
    folder = open_exported(exported("onnx", "static"))
    folder.manifest.entries["correction"] = {"version": 2}

    with pytest.raises(ModelFileError, match="'correction' is"):
        folder.inputs()
