import importlib.util
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pocketintent.runtime.background import Background
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.errors import (
    MissingExtraError,
    PocketIntentError,
    PocketIntentWarning,
)
from pocketintent.runtime.files.model_file import save_model
from pocketintent.runtime.graphs.encoder import GraphEncoder
from pocketintent.runtime.graphs.folder import open_exported
from pocketintent.runtime.recognizer import IntentRecognizer
from pocketintent.runtime.templates.template_set import parse_templates
from pocketintent.runtime.text.negations import NEGATIONS
from pocketintent_export import export_folder
from pocketintent_export.conformance import NUM_UTTERANCES, SHARES

TEMPLATES = {"greet": ["hello"], "food": ["order a pizza", "hungry"]}


FORMATS = ["onnx", "tflite"]
MODELS = ["static", "words", "text", "combined", "contextual", "infersent"]
IN_ORDER = ("contextual", "infersent")
INPUTS = {
    "static": ["ids", "weights"],
    "words": ["spelt"],
    "text": ["characters", "lengths"],
    "combined": ["ids", "weights", "spelt"],
    "contextual": ["ids", "weights", "token_numbers"],
    "infersent": ["ids", "weights", "token_numbers"],
}


@pytest.fixture(params=[f"{model} {name}" for model in MODELS for name in FORMATS])
def folder(request: pytest.FixtureRequest, exported: Callable[..., Path]) -> Path:
    model, file_format = request.param.split()
    return exported(file_format, model)


def _manifest(folder: Path) -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads((folder / "manifest.json").read_text())
    return manifest


def _conformance(folder: Path) -> list[dict[str, Any]]:
    # As bytes, because str.splitlines also splits at characters that a text may contain.
    lines = (folder / "conformance.jsonl").read_bytes().splitlines()
    return [json.loads(line) for line in lines]


def test_the_manifest_lists_every_file_with_its_size(folder: Path) -> None:
    files = _manifest(folder)["files"]
    sizes = {path.name: path.stat().st_size for path in folder.iterdir()}
    assert {name: entry["bytes"] for name, entry in files.items()} | {
        "manifest.json": sizes["manifest.json"]
    } == sizes


def test_the_proof_is_within_bounds_and_recorded(folder: Path) -> None:
    proof = _manifest(folder)["proof"]
    assert proof["utterances"] == NUM_UTTERANCES
    assert proof["intents_differing"] == 0
    assert proof["vector_difference"] <= 1e-4
    assert proof["score_difference"] <= 1e-4


def test_the_conformance_file_has_all_sources_and_no_text_twice(folder: Path) -> None:
    lines = _conformance(folder)
    assert len(lines) == NUM_UTTERANCES
    assert len({line["text"] for line in lines}) == NUM_UTTERANCES
    assert {line["source"] for line in lines} == set(SHARES)
    assert {line["reason"] for line in lines} >= {None, "unknown_words"}


def test_the_conformance_vectors_are_those_of_the_graph(folder: Path) -> None:
    exported = open_exported(folder)
    encoder, corrector = GraphEncoder(exported), exported.corrector(exported.inputs())
    for line in _conformance(folder)[::25]:
        text = line["text"] if corrector is None else corrector(line["text"])
        vector = encoder.encode(text)[: len(line["vector"])]
        assert np.abs(vector - line["vector"]).max(initial=0.0) < 1e-4


def test_a_fixed_length_cuts_and_a_free_one_does_not(exported: Callable[[str], Path]) -> None:
    longest = {
        file_format: max(len(line["ids"]) for line in _conformance(exported(file_format)))
        for file_format in ("onnx", "tflite")
    }
    assert longest["tflite"] == _manifest(exported("tflite"))["max_length"] == 24
    assert longest["onnx"] > 1000


@pytest.mark.parametrize("model", ["words", "combined"])
def test_a_fixed_number_of_characters_cuts_and_a_free_one_does_not(
    exported: Callable[..., Path], model: str
) -> None:
    longest = {
        file_format: max(
            len(word)
            for line in _conformance(exported(file_format, model))
            for word in line["characters"]
        )
        for file_format in FORMATS
    }
    assert longest == {"onnx": 24, "tflite": 12}
    for file_format, number in longest.items():
        manifest = _manifest(exported(file_format, model))
        assert manifest["characters"]["max_chars"] == number


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("file_format", FORMATS)
def test_the_manifest_says_what_a_port_needs(
    exported: Callable[..., Path], file_format: str, model: str
) -> None:
    folder = exported(file_format, model)
    manifest = _manifest(folder)

    assert manifest["kind"] == ("charemb" if model in ("words", "text") else model)
    assert manifest["reads"] == ("text" if model == "text" else "words")
    assert (manifest["tokenizer"] is None) == (model == "text")
    assert (manifest["ngrams"] is None) == (model not in ("static", *IN_ORDER))
    assert manifest["max_tokens"] == (256 if model in IN_ORDER else None)
    assert (manifest["max_length"] == 24) == (file_format == "tflite" and "ids" in INPUTS[model])
    assert ("vocabulary.txt" in manifest["files"]) == ("ids" in INPUTS[model])
    assert (manifest["characters"] is None) == (model in ("static", *IN_ORDER))
    if manifest["characters"] is not None:
        assert manifest["characters"]["known"] == " 'abcdefghijklmnopqrstuvwxyz"
        assert manifest["characters"]["normalisation"] == "nfkc-lower-1"
    artifacts = manifest["artifacts"]
    assert ("characters" in artifacts) == (model in ("words", "combined"))
    for name, features in (("encoder", []), ("recognizer", ["ngram_counts"])):
        assert [tensor["name"] for tensor in artifacts[name]["inputs"]] == INPUTS[model] + features
    assert manifest["features"] == {"ngram_counts": {"min_n": 2, "max_n": 5, "num_buckets": 512}}


@pytest.mark.parametrize("file_format", ["onnx", "tflite"])
def test_a_bot_that_looks_for_negations_takes_one_more_number(
    exported: Callable[..., Path], file_format: str
) -> None:
    manifest = _manifest(exported(file_format, negated=True))

    tensor = manifest["artifacts"]["recognizer"]["inputs"][-1]
    batch = 1 if file_format == "tflite" else "batch"
    assert tensor == {"name": "negation", "dtype": "float32", "shape": [batch, 1]}
    assert manifest["features"]["negation"] == {"words": sorted(NEGATIONS["en"])}
    assert manifest["proof"]["score_difference"] < 1e-4


SET = {
    "language": "en",
    "intents": {
        "on": {"templates": ["lamp on", "lights on"], "except": ["lamp off"]},
        "jazz": {"templates": ["play some jazz", "..."], "threshold": 0.7},
    },
    "none": ["hello"],
    "background": ["order a pizza", "open the door"],
}


@pytest.fixture(scope="module")
def background_model(compressed_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """``compressed_model`` with a background and a language."""
    encoder = load_encoder(compressed_model)
    lines = ["open the door", "stop the music", "eat pasta", "thanks bye", "close the gate"]
    background = Background.fit(encoder.encode_batch(lines), lines, len(lines))
    encoder = encoder.with_background(background)
    encoder.manifest["languages"] = ["en"]
    path = tmp_path_factory.mktemp("model") / "background.safetensors"
    save_model(path, *encoder.to_model_file_parts())
    return path


@pytest.fixture(scope="module")
def set_folder(background_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ONNX folder of ``SET``, whose last template the model does not know."""
    pytest.importorskip("onnxscript")
    folder = tmp_path_factory.mktemp("exports") / "set"
    export_folder(folder, SET, background_model)
    return folder


def test_the_labels_have_all_that_a_classifier_is_fitted_on(set_folder: Path) -> None:
    templates = open_exported(set_folder).templates()
    expected = parse_templates(SET)
    expected.intents["jazz"].templates.remove("...")
    assert templates == expected


def test_the_folder_has_the_background_and_the_languages_of_the_model(
    set_folder: Path, background_model: Path
) -> None:
    background = open_exported(set_folder).background()
    expected = load_encoder(background_model).background
    assert background is not None and expected is not None
    for name in ("vectors", "ngrams"):
        matrix, other = getattr(background, name), getattr(expected, name)
        np.testing.assert_array_equal(matrix.decode(), other.decode())
    np.testing.assert_array_equal(background.idf, expected.idf)
    assert _manifest(set_folder)["languages"] == ["en"]


def test_an_edit_of_a_folder_is_fitted_as_in_numpy(
    set_folder: Path, background_model: Path
) -> None:
    exported = IntentRecognizer.load(model=set_folder, backend="onnxruntime")
    plain = IntentRecognizer.load(exported.templates, background_model)
    for recognizer in (exported, plain):
        recognizer.add_intent("close", ["close the gate", "lock the door"])
        recognizer.add_intent("on", [], counter_examples=["lamp light"])
    assert exported.templates == plain.templates
    for text in ("lamp on", "lock the gate", "some music", "pizza"):
        match, expected = exported.match(text), plain.match(text)
        assert (match.intent, match.template) == (expected.intent, expected.template)
        assert match.score == pytest.approx(expected.score, abs=1e-3)


def test_a_folder_warns_of_templates_in_another_language(set_folder: Path) -> None:
    french = {"language": "fr", "intents": {"on": {"templates": ["lamp on"]}}}
    with pytest.warns(PocketIntentWarning, match="the model speaks en"):
        IntentRecognizer.load(french, set_folder, backend="onnxruntime")


def test_a_decision_that_fits_nothing_stores_nothing(
    background_model: Path, tmp_path: Path
) -> None:
    pytest.importorskip("onnxscript")
    export_folder(tmp_path / "out", SET, background_model, decision="nearest")
    opened = open_exported(tmp_path / "out")
    assert opened.manifest.entries["features"] == {}
    state = opened.state()
    assert state is not None and state.manifest["decision"] == {"name": "nearest"}
    assert not any(name.startswith("decision.") for name in state.tensors)
    assert opened.background() is not None


def test_the_artifacts_are_what_the_graphs_take_and_give(folder: Path) -> None:
    for artifact in _manifest(folder)["artifacts"].values():
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


def test_the_same_seed_gives_the_same_utterances(
    exported: Callable[[str], Path], compressed_model: Path, tmp_path: Path
) -> None:
    templates = open_exported(exported("onnx")).templates()
    export_folder(tmp_path / "again", templates, compressed_model)
    for name in ("conformance.jsonl", "labels.json", "encoder.onnx"):
        assert (tmp_path / "again" / name).read_bytes() == (exported("onnx") / name).read_bytes()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"file_format": "coreml"}, "onnx, tflite"),
        ({"scoring": "guess"}, "decoded, table"),
        ({"decision": "guess"}, r"logistic, nearest, nearest\+centroid"),
        ({"max_length": 0}, "max_length 0 is less than 1"),
        ({"max_chars": 0}, "max_chars 0 is less than 1"),
        ({"templates": {}}, "no template to export"),
        ({"templates": {"odd": ["..."]}}, "no template to export"),
        ({"templates": "no_such_set"}, "no_such_set"),
    ],
)
def test_bad_arguments_are_refused_and_leave_nothing(
    arguments: dict[str, Any], words: str, compressed_model: Path, tmp_path: Path
) -> None:
    with pytest.raises(PocketIntentError, match=words):
        export_folder(
            tmp_path / "out", **({"templates": TEMPLATES, "model": compressed_model} | arguments)
        )
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_is_not_compressed_is_refused(tiny_model: Path, tmp_path: Path) -> None:
    with pytest.raises(PocketIntentError, match="pocketintent compress"):
        export_folder(tmp_path / "out", TEMPLATES, tiny_model)


def test_a_full_folder_a_file_and_a_missing_parent_are_refused(
    compressed_model: Path, tmp_path: Path
) -> None:
    full, file = tmp_path / "full", tmp_path / "file"
    full.mkdir()
    (full / "kept").touch()
    file.write_text("kept")
    for out, words in ((full, "not empty"), (file, "a file"), (file / "x", "no folder")):
        with pytest.raises(PocketIntentError, match=words):
            export_folder(out, TEMPLATES, compressed_model)
    assert (full / "kept").exists() and file.read_text() == "kept"


def test_a_missing_converter_names_the_extra(
    compressed_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "litert_torch" else find(name)
    )
    monkeypatch.setitem(sys.modules, "litert_torch", None)
    with pytest.raises(MissingExtraError, match=r"\.\[export\]"):
        export_folder(tmp_path / "out", TEMPLATES, compressed_model, file_format="tflite")
    assert list(tmp_path.iterdir()) == []


def test_a_bot_file_is_exported_with_its_model(compressed_model: Path, tmp_path: Path) -> None:
    bot = tmp_path / "bot.safetensors"
    IntentRecognizer.load(TEMPLATES, compressed_model).save(bot)
    for number, (templates, model) in enumerate([(TEMPLATES, compressed_model), (bot, None)]):
        export_folder(tmp_path / str(number), templates, model, decision="nearest")

    first, second = (_conformance(tmp_path / str(number)) for number in (0, 1))
    assert first == second
    with pytest.raises(PocketIntentError, match="contains its model"):
        export_folder(tmp_path / "2", bot, compressed_model)


def test_a_bot_file_is_exported_with_its_decision_and_its_weights(
    compressed_model: Path, tmp_path: Path
) -> None:
    recognizer = IntentRecognizer.load(TEMPLATES, compressed_model)
    # The weights of an edited bot differ a little from those of a fit from scratch.
    recognizer.add_intent("lock", ["lock the door", "close the gate"])
    recognizer.save(tmp_path / "bot.safetensors")
    nearest = IntentRecognizer.load(TEMPLATES, compressed_model, decision="nearest")
    nearest.save(tmp_path / "nearest.safetensors")

    export_folder(tmp_path / "bot", tmp_path / "bot.safetensors")
    export_folder(tmp_path / "nearest", tmp_path / "nearest.safetensors")

    exported = IntentRecognizer.load(model=tmp_path / "bot", backend="onnxruntime")
    assert exported.scorer is not None and recognizer.scorer is not None
    (_, weights), (_, expected) = exported.scorer.to_parts(), recognizer.scorer.to_parts()
    assert weights.keys() == expected.keys()
    for name, tensor in expected.items():
        np.testing.assert_array_equal(weights[name], tensor)
    assert _manifest(tmp_path / "nearest")["decision"] == "nearest"


def test_the_folder_corrects_as_the_recogniser_unless_it_is_turned_off(
    compressed_model: Path, tmp_path: Path
) -> None:
    for correct in (True, False):
        path = tmp_path / str(correct)
        templates = {
            "on": ["turn on the lamp"],
            "off": ["turn off the lamp"],
            "jazz": ["play jazz"],
        }
        export_folder(path, templates, compressed_model, file_format="onnx", correct=correct)
        folder = open_exported(path)

        assert (folder.manifest.entries["correction"] is not None) == correct == folder.corrects
        recognizer = IntentRecognizer.load(model=path, backend="onnxruntime")
        assert recognizer.read("trun teh lmap") == ("turn the lamp" if correct else "trun teh lmap")
        other = IntentRecognizer.load(model=path, backend="onnxruntime", correct=not correct)
        assert other.read("trun teh lmap") == ("trun teh lmap" if correct else "turn the lamp")


def test_a_set_that_does_not_learn_names_is_edited_without_them(
    tmp_path: Path, compressed_model: Path
) -> None:
    intents = {name: {"templates": texts} for name, texts in TEMPLATES.items()}
    templates = parse_templates({"intents": intents, "learn_names": False})
    export_folder(tmp_path / "bot", templates, compressed_model, file_format="onnx")
    exported = IntentRecognizer.load(None, tmp_path / "bot", backend="onnxruntime")
    plain = IntentRecognizer.load(templates, compressed_model)
    for recognizer in (exported, plain):
        recognizer.add_intent("lamp", ["turn on", "light off"])
    for ours, others in zip(exported.rank("lamp"), plain.rank("lamp"), strict=True):
        assert ours.intent == others.intent
        assert ours.score == pytest.approx(others.score, abs=1e-4)
