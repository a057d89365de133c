"""What an exported folder keeps for the runtime in Python: the set, the background, the weights."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from exports.exported_folders import read_conformance, read_manifest, rewrite
from pocketintent.compression.background import fit_background
from pocketintent.compression.codebooks import encode_matrix, fit_quantizer
from pocketintent.compression.prune import keep_frequent
from pocketintent.recognizer import IntentRecognizer
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import ModelFileError, PocketIntentError, PocketIntentWarning
from pocketintent.runtime.files.model_file import save_model
from pocketintent.runtime.graphs.folder import LOST_WORDS, open_exported
from pocketintent.runtime.templates.template_set import parse_templates
from pocketintent.runtime.text.tokenizer import PIECES_SPEC, SIMPLE_SPEC
from pocketintent.runtime.text.vocabulary import Vocabulary
from pocketintent_export import export_folder

TEMPLATES = {"greet": ["hello"], "food": ["order a pizza", "hungry"]}

SET = {
    "language": "en",
    "learn_names": False,
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
    background = fit_background(encoder.encode_batch(lines), lines, len(lines))
    encoder = encoder.replace(background=background)
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
    assert read_manifest(set_folder)["languages"] == ["en"]


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


def test_a_bot_file_is_exported_with_its_model(compressed_model: Path, tmp_path: Path) -> None:
    bot = tmp_path / "bot.safetensors"
    IntentRecognizer.load(TEMPLATES, compressed_model).save(bot)
    for number, (templates, model) in enumerate([(TEMPLATES, compressed_model), (bot, None)]):
        export_folder(tmp_path / str(number), templates, model, decision="nearest")

    first, second = (read_conformance(tmp_path / str(number)) for number in (0, 1))
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
    (_, weights), (_, expected) = exported.scorer.parts(), recognizer.scorer.parts()
    assert weights.keys() == expected.keys()
    for name, tensor in expected.items():
        np.testing.assert_array_equal(weights[name], tensor)
    assert read_manifest(tmp_path / "nearest")["decision"] == "nearest"


@pytest.mark.parametrize("spec", [SIMPLE_SPEC, PIECES_SPEC], ids=["simple", "word_pieces"])
def test_a_folder_of_a_pruned_model_corrects_no_word_that_was_lost(
    tmp_path: Path, spec: dict[str, Any]
) -> None:
    words = ["lamp", "the", "on", "off", "lamb", "wont", "sword"]
    vectors = np.random.default_rng(0).standard_normal((len(words), 8)).astype(np.float32)
    quantizer = fit_quantizer(vectors, sub_dim=2, codebook_size=4)
    matrix = encode_matrix(vectors, quantizer)
    encoder = StaticEncoder(Vocabulary(words), matrix, tokenizer_spec=spec)
    pruned = keep_frequent(keep_frequent(encoder, 6), 4)
    save_model(tmp_path / "pruned.safetensors", *pruned.to_model_file_parts())
    templates = {"on": ["lamp on"], "off": ["lamp off"]}
    export_folder(tmp_path / "out", templates, tmp_path / "pruned.safetensors", file_format="onnx")

    recognizer = IntentRecognizer.load(model=tmp_path / "out", backend="onnxruntime")
    for word in (*words, "aint"):
        assert recognizer.read(word) == word
    assert recognizer.read("lanp of lambs") == "lamp of lambs"
    sizes = read_manifest(tmp_path / "out")["correction"]["lost_words"]
    assert sum(sizes) == (tmp_path / "out" / LOST_WORDS).stat().st_size and len(sizes) == 2
    rewrite(tmp_path / "out", LOST_WORDS, b"1")
    with pytest.raises(ModelFileError, match=f"and {LOST_WORDS} has 1"):
        open_exported(tmp_path / "out").inputs()


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
