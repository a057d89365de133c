import json
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

from pocketintent import IntentRecognizer, Match, PocketIntentError, TemplateError
from pocketintent.runtime.decision.logistic import fitting
from pocketintent.runtime.decision.logistic.scorer import LogisticScorer
from pocketintent.runtime.decision.registry import Decision
from pocketintent.runtime.errors import MissingExtraError
from pocketintent.runtime.graphs.encoder import GraphEncoder
from pocketintent.runtime.graphs.folder import BACKENDS, CONFORMANCE, open_exported

OTHERS = {
    "lock": ["lock the door", "close the gate please"],
    "warm": ["warm heat", "turn the heat on"],
    "order": ["order pizza", "hungry"],
}
TEXTS = [
    "turn on the lights",
    "turn the lamp off please",
    "play music",
    "helo",
    "lock gate",
    "order some pastaa",
    "the",
    "zzz qqq",
    "",
    "\ud800",
]

MODELS = ["static", "words", "text", "combined", "contextual", "infersent"]

Exported = Callable[..., Path]
Load = Callable[..., IntentRecognizer]
TEMPLATES_OF_FOLDER = None


@pytest.fixture
def model(request: pytest.FixtureRequest) -> str:
    """The exported model, by its name in the fixture ``exported``."""
    name: str = getattr(request, "param", "static")
    return name


each_model = pytest.mark.parametrize("model", MODELS, indirect=True)


@pytest.fixture(params=BACKENDS)
def load(request: pytest.FixtureRequest, exported: Exported, model: str) -> Load:
    """Opens the exported folder on a backend."""

    def load_one(templates: Any = TEMPLATES_OF_FOLDER, **settings: Any) -> IntentRecognizer:
        folder = exported(BACKENDS[request.param], model)
        return IntentRecognizer.load(templates, folder, backend=request.param, **settings)

    return load_one


@pytest.fixture
def load_plainly(
    compressed_model: Path,
    contextual_model: Path,
    infersent_model: Path,
    character_models: dict[str, Path],
    model: str,
) -> Load:
    """Opens the model that was exported on NumPy."""
    models = {
        "static": compressed_model,
        "contextual": contextual_model,
        "infersent": infersent_model,
        **character_models,
    }
    path = models[model]

    def load_one(templates: Any, **settings: Any) -> IntentRecognizer:
        return IntentRecognizer.load(templates, path, **settings)

    return load_one


def _assert_same(found: Match, expected: Match) -> None:
    for key in ("intent", "template", "nearest", "reason"):
        assert getattr(found, key) == getattr(expected, key), (key, found, expected)
    assert found.score == pytest.approx(expected.score, abs=1e-4)
    assert found.margin == pytest.approx(expected.margin, abs=1e-4)
    assert (found.runner_up is None) == (expected.runner_up is None)
    if found.runner_up is not None and expected.runner_up is not None:
        assert found.runner_up.score == pytest.approx(expected.runner_up.score, abs=1e-4)


def _assert_all_same(found: IntentRecognizer, expected: IntentRecognizer) -> None:
    for text in TEXTS:
        _assert_same(found.match(text), expected.match(text))


@each_model
def test_the_folders_own_templates_give_the_same_matches(
    load: Load, load_plainly: Load, exported: Exported
) -> None:
    recognizer = load()

    assert recognizer.templates == open_exported(exported("onnx")).templates()
    _assert_all_same(recognizer, load_plainly(recognizer.templates))


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_folder_that_looks_for_negations_gives_the_same_matches(
    exported: Exported, load_plainly: Load, backend: Any
) -> None:
    folder = exported(BACKENDS[backend], negated=True)
    recognizer = IntentRecognizer.load(None, folder, backend=backend)
    expected = load_plainly(recognizer.templates)

    for text in ("don't turn on the lights please", "turn on the lights please", "no jazz"):
        _assert_same(recognizer.match(text), expected.match(text))
    for edited in (recognizer, expected):
        edited.remove_intent("lights_on")  # the negations go with it
        edited.add_intent("lights_on", ["turn on the lights", "lamp on"])
    _assert_same(recognizer.match("no lamp on"), expected.match("no lamp on"))


# Without a codebook in the model, a folder quantises other templates with that of its own.
@pytest.mark.parametrize(
    ("model", "search"),
    [*((model, "exact") for model in MODELS), ("static", "table"), ("combined", "table")],
    indirect=["model"],
)
@pytest.mark.parametrize("decision", get_args(Decision))
def test_other_templates_give_the_same_matches(
    load: Load, load_plainly: Load, search: str, decision: str
) -> None:
    settings = {"search": search, "decision": decision}

    _assert_all_same(load(OTHERS, **settings), load_plainly(OTHERS, **settings))


@each_model
def test_the_conformance_file_is_matched_as_it_says(
    load: Load, exported: Exported, model: str
) -> None:
    recognizer = load()
    content = open_exported(exported("onnx", model)).read(CONFORMANCE)

    for line in map(json.loads, content.splitlines()):
        characters = line.get("characters", [])
        words = [characters] if model == "text" else characters
        # What fits into the fixed lengths.
        if len(line.get("ids", [])) <= 24 and all(len(word) <= 12 for word in words):
            match = recognizer.match(line["text"])
            assert (match.intent, match.nearest) == (line["intent"], line["nearest"])
            assert (match.template, match.reason) == (line["template"], line["reason"])
            assert match.score == pytest.approx(line["score"], abs=1e-4)


@each_model
def test_a_template_set_can_be_edited_while_it_runs(
    load: Load, load_plainly: Load, model: str
) -> None:
    recognizer, plain = load(), load_plainly(load().templates)
    for each in (recognizer, plain):
        each.add_intent("farewell", ["goodbye", "bye thanks"], threshold=0.7)
        each.add_intent("greet", ["hi"])
        each.remove_intent("play_music")

    if model == "static":
        assert recognizer.match("bye").intent == "farewell"
        assert recognizer.match("play music").intent != "play_music"
    assert recognizer.templates == plain.templates
    _assert_all_same(recognizer, plain)


def test_all_intents_can_be_replaced(load: Load) -> None:
    recognizer = load()
    for intent in recognizer.intents:
        recognizer.remove_intent(intent)
    assert recognizer.match("lamp on").reason == "no_templates"

    recognizer.add_intent("hunger", ["hungry"])
    assert recognizer.match("hungry").intent == "hunger"
    with pytest.raises(TemplateError):
        recognizer.add_intent("nothing", [])


def test_threshold_and_margin_take_effect_while_it_runs(load: Load) -> None:
    recognizer = load()
    assert recognizer.match("lights on").intent == "lights_on"

    recognizer.threshold = 1.0
    assert recognizer.match("please lamp").reason == "below_threshold"
    recognizer.threshold, recognizer.margin = -1.0, 2.0
    assert recognizer.match("please lamp").reason == "ambiguous"


def test_what_is_saved_loads_on_numpy_and_back(
    load: Load, load_plainly: Load, tmp_path: Path
) -> None:
    recognizer = load()
    recognizer.add_intent("farewell", ["goodbye"], threshold=0.7)
    recognizer.margin = 0.02
    recognizer.save(tmp_path / "saved.json")

    for loaded in (load(tmp_path / "saved.json"), load_plainly(tmp_path / "saved.json")):
        assert loaded.templates == recognizer.templates
        for text in TEXTS:
            assert loaded.match(text).intent == recognizer.match(text).intent


def test_the_folder_brings_its_decision_unless_one_is_named(load: Load) -> None:
    assert load().decision == "logistic"
    recognizer = load(decision="nearest")
    assert recognizer.decision == "nearest"
    assert recognizer.match("lamp on").score == pytest.approx(1, abs=0.02)


@each_model
def test_a_folder_fits_and_encodes_nothing_for_its_own_templates(
    load: Load, load_plainly: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = load_plainly(load().templates)
    for name in ("encode", "encode_batch"):
        monkeypatch.setattr(GraphEncoder, name, _refuse)
    monkeypatch.setattr(fitting, "fit_classifier", _refuse)

    recognizer = load()

    assert recognizer.indexed.texts == expected.indexed.texts
    assert isinstance(recognizer.scorer, LogisticScorer)
    assert isinstance(expected.scorer, LogisticScorer)
    for part in ("weights", "bucket_weights"):
        found, right = (getattr(r.scorer.classifier, part) for r in (recognizer, expected))
        np.testing.assert_allclose(found, right, atol=0.01)


def _refuse(*arguments: Any, **settings: Any) -> Any:
    raise AssertionError("nothing is encoded or fitted")


def test_threads_match_while_others_edit(load: Load) -> None:
    recognizer, errors, done = load(), [], threading.Event()

    def match() -> None:
        while not done.is_set():
            if recognizer.match("lamp off please").nearest != "lights_off":
                errors.append("another intent")

    threads = [threading.Thread(target=match) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(20):
        recognizer.add_intent("farewell", ["goodbye"])
        recognizer.remove_intent("farewell")
    done.set()
    for thread in threads:
        thread.join()

    assert errors == []


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_backend_that_is_not_installed_is_named_with_its_extra(
    exported: Exported, monkeypatch: pytest.MonkeyPatch, backend: str
) -> None:
    folder = exported(BACKENDS[backend])
    for name in [*sys.modules, "onnxruntime", "ai_edge_litert", "tflite_runtime"]:
        if name.partition(".")[0] in ("onnxruntime", "ai_edge_litert", "tflite_runtime"):
            monkeypatch.setitem(sys.modules, name, None)

    with pytest.raises(MissingExtraError, match=rf"\.\[{backend}\]"):
        IntentRecognizer.load(None, folder, backend=backend)  # type: ignore[arg-type]


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_exported_backend_needs_a_folder(backend: Any) -> None:
    with pytest.raises(PocketIntentError, match=f"backend '{backend}' needs an exported folder"):
        IntentRecognizer.load(OTHERS, backend=backend)


def test_numpy_needs_templates(compressed_model: Path) -> None:
    with pytest.raises(PocketIntentError, match="no templates; give"):
        IntentRecognizer.load(model=compressed_model)


def test_a_backend_that_does_not_exist_is_refused() -> None:
    with pytest.raises(PocketIntentError, match="backend 'torch' is not one of numpy"):
        IntentRecognizer.load(OTHERS, backend="torch")  # type: ignore[arg-type]
