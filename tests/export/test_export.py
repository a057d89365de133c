import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from exports.exported_folders import read_conformance, read_manifest
from pocketintent import IntentRecognizer
from pocketintent.runtime.errors import MissingExtraError, PocketIntentError
from pocketintent.runtime.graphs.folder import open_exported
from pocketintent.runtime.text.languages import NEGATIONS
from pocketintent_export import export_folder

TEMPLATES = {"greet": ["hello"], "food": ["order a pizza", "hungry"]}

EQUAL_INTENTS = {
    "learn_names": False,
    "intents": {name: {"templates": ["hello"]} for name in ("greet", "hail")},
}

FORMATS = ["onnx", "tflite"]
INPUTS = {
    "static": ["ids", "weights"],
    "words": ["spelt"],
    "text": ["characters", "lengths"],
    "combined": ["ids", "weights", "spelt"],
    "contextual": ["ids", "weights", "token_numbers"],
    "transformer": ["ids", "weights", "token_numbers"],
}


def test_a_fixed_length_cuts_and_a_free_one_does_not(exported: Callable[[str], Path]) -> None:
    longest = {
        file_format: max(len(line["ids"]) for line in read_conformance(exported(file_format)))
        for file_format in ("onnx", "tflite")
    }
    assert longest["tflite"] == read_manifest(exported("tflite"))["max_length"] == 24
    assert longest["onnx"] > 1000


@pytest.mark.parametrize("model", ["words", "combined"])
def test_a_fixed_number_of_characters_cuts_and_a_free_one_does_not(
    exported: Callable[..., Path], model: str
) -> None:
    longest = {
        file_format: max(
            len(word)
            for line in read_conformance(exported(file_format, model))
            for word in line["characters"]
        )
        for file_format in FORMATS
    }
    assert longest == {"onnx": 24, "tflite": 12}
    for file_format, number in longest.items():
        manifest = read_manifest(exported(file_format, model))
        assert manifest["characters"]["max_chars"] == number


@pytest.mark.parametrize("model", INPUTS)
@pytest.mark.parametrize("file_format", FORMATS)
def test_the_manifest_says_what_a_port_needs(
    exported: Callable[..., Path], file_format: str, model: str
) -> None:
    folder = exported(file_format, model)
    manifest = read_manifest(folder)

    assert manifest["kind"] == ("charemb" if model in ("words", "text") else model)
    assert manifest["reads"] == ("text" if model == "text" else "words")
    assert (manifest["tokenizer"] is None) == (model == "text")
    assert (manifest["ngrams"] is None) == (model not in ("static", "contextual"))
    assert manifest["max_tokens"] == (256 if "token_numbers" in INPUTS[model] else None)
    assert (manifest["max_length"] == 24) == (file_format == "tflite" and "ids" in INPUTS[model])
    assert ("vocabulary.txt" in manifest["files"]) == ("ids" in INPUTS[model])
    assert (manifest["characters"] is None) == (model in ("static", "contextual", "transformer"))
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
    manifest = read_manifest(exported(file_format, negated=True))

    tensor = manifest["artifacts"]["recognizer"]["inputs"][-1]
    batch = 1 if file_format == "tflite" else "batch"
    assert tensor == {"name": "negation", "dtype": "float32", "shape": [batch, 1]}
    assert manifest["features"]["negation"] == {"words": sorted(NEGATIONS["en"])}
    assert manifest["proof"]["score_difference"] < 1e-4


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
        ({"max_length": 0}, "max_length must be a whole number from 1 to 4096, not 0"),
        ({"max_length": 10**8}, "max_length must be a whole number from 1 to 4096"),
        ({"max_length": "x"}, "max_length must be a whole number from 1 to 4096, not 'x'"),
        ({"max_length": 1.5}, "max_length must be a whole number from 1 to 4096, not 1.5"),
        ({"max_length": True}, "max_length must be a whole number from 1 to 4096, not True"),
        ({"max_chars": 0}, "max_chars must be a whole number from 1 to 4096, not 0"),
        ({"seed": -1}, "seed must be a whole number from 0 to 4294967295, not -1"),
        ({"seed": "a"}, "seed must be a whole number from 0 to 4294967295, not 'a'"),
        ({"templates": {}}, "no template to export"),
        ({"templates": {"odd": ["..."]}}, "no template to export"),
        ({"templates": "no_such_set"}, "no_such_set"),
        ({"templates": EQUAL_INTENTS}, "cannot be proven"),
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
    bot = tmp_path / "bot.safetensors"
    IntentRecognizer.load(TEMPLATES, tiny_model).save(bot)
    with pytest.raises(PocketIntentError, match="save the bot's templates") as raised:
        export_folder(tmp_path / "out", bot)
    assert f"compress {bot}" not in str(raised.value)


def test_a_full_folder_a_file_and_a_missing_parent_are_refused(
    compressed_model: Path, tmp_path: Path
) -> None:
    full, file = tmp_path / "full", tmp_path / "file"
    full.mkdir()
    (full / "kept").touch()
    file.write_text("kept")
    for out, words in (
        (full, "not empty"),
        (file, "a file"),
        (file / "x", "no folder"),
        ("", "out must be a path, not ''"),
        ("a\0b", "out must be a path"),
    ):
        with pytest.raises(PocketIntentError, match=words):
            export_folder(out, TEMPLATES, compressed_model)
    assert (full / "kept").exists() and file.read_text() == "kept"


def test_the_current_folder_is_refused_and_stays(
    compressed_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for out in (".", tmp_path):
        with pytest.raises(PocketIntentError, match=r"is the current folder.*name another"):
            export_folder(out, TEMPLATES, compressed_model)
    assert tmp_path.samefile(".")


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
