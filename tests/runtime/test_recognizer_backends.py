import sys
import threading
from pathlib import Path
from typing import Any, get_args

import pytest

from exports.backend_fixtures import OTHERS, TEXTS, Exported, Load, assert_all_same, assert_same
from exports.backend_fixtures import load as load
from exports.backend_fixtures import load_plainly as load_plainly
from pocketintent import IntentRecognizer, PocketIntentError, TemplateError
from pocketintent.runtime.decision.registry import Decision
from pocketintent.runtime.errors import MissingExtraError
from pocketintent.runtime.graphs.folder import BACKENDS


@pytest.fixture
def model(request: pytest.FixtureRequest) -> str:
    """The exported model, by its name in the fixture ``exported``."""
    name: str = getattr(request, "param", "static")
    return name


@pytest.mark.parametrize("model", ["static", "combined"], indirect=True)
@pytest.mark.parametrize("decision", get_args(Decision))
def test_other_templates_give_the_same_matches_by_tables(
    load: Load, load_plainly: Load, decision: str
) -> None:
    # Without a codebook in the model, a folder quantises other templates with that of its own.
    settings = {"search": "table", "decision": decision}

    assert_all_same(load(OTHERS, **settings), load_plainly(OTHERS, **settings))


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_folder_that_looks_for_negations_gives_the_same_matches(
    exported: Exported, load_plainly: Load, backend: Any
) -> None:
    folder = exported(BACKENDS[backend], negated=True)
    recognizer = IntentRecognizer.load(None, folder, backend=backend)
    expected = load_plainly(recognizer.templates)

    for text in ("don't turn on the lights please", "turn on the lights please", "no jazz"):
        assert_same(recognizer.match(text), expected.match(text))
    for edited in (recognizer, expected):
        edited.remove_intent("lights_on")  # the negations go with it
        edited.add_intent("lights_on", ["turn on the lights", "lamp on"])
    assert_same(recognizer.match("no lamp on"), expected.match("no lamp on"))


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
    with pytest.raises(PocketIntentError, match="backend 'torch' is not one of auto, native"):
        IntentRecognizer.load(OTHERS, backend="torch")  # type: ignore[arg-type]
