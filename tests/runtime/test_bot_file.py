import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot_files import change_bot
from pocketintent import (
    IntentRecognizer,
    ModelFileError,
    PocketIntentError,
    load_encoder,
)
from pocketintent.runtime.decision.logistic import fitting
from pocketintent.runtime.decision.registry import Decision
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.files import shipped_models
from pocketintent.runtime.files.model_file import BOT, load_model
from pocketintent.runtime.index import building

TEMPLATES = {
    "threshold": 0.4,
    "margin": 0.05,
    "language": "en",
    "none": ["order a pizza"],
    "background": ["the hungry silence"],
    "intents": {
        "lights_on": {
            "templates": ["turn on the lights", "xyzzy", "lights on please", "lamp on"],
            "except": ["turn off the radio"],
            "threshold": 0.3,
        },
        "nothing_known": {"templates": ["xyzzy", "plugh"]},
        "lights_off": {"templates": ["turn off the lights", "lamp off please", "lamp off please"]},
        "play_music": {"templates": ["play some jazz", "play music"]},
    },
}
NEGATED_INTENT = {
    "radio_on": {
        "templates": ["turn on the radio", "radio on please"],
        "except": ["don't turn on the radio please", "do not want the radio on"],
    }
}
"""An intent with negated counter-examples."""

TEXTS = (
    *("turn on the lights", "please switch the lamp off", "play jazz please", "xyzzy", ""),
    *("order a pizza", "the music", "lamp lamp on", "some hungry lights", "off off on"),
)

Make = Callable[..., IntentRecognizer]


@pytest.fixture(params=get_args(Decision))
def decision(request: pytest.FixtureRequest) -> Decision:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture(params=["table", "exact"])
def make(request: pytest.FixtureRequest, compressed_model: Path, decision: Decision) -> Make:
    def make_one(templates: Any = TEMPLATES) -> IntentRecognizer:
        return IntentRecognizer.load(
            templates, compressed_model, decision=decision, search=request.param
        )

    return make_one


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "bot.safetensors"


def _reload(recognizer: IntentRecognizer, path: Path) -> IntentRecognizer:
    recognizer.save(path)
    return IntentRecognizer.load(path)


def _assert_equal(loaded: IntentRecognizer, built: IntentRecognizer) -> None:
    """Both answer equally to the last bit."""
    assert loaded.templates == built.templates
    assert (loaded.decision, loaded.search) == (built.decision, built.search)
    assert [*map(loaded.match, TEXTS)] == [*map(built.match, TEXTS)]
    assert loaded.match_batch(TEXTS) == built.match_batch(TEXTS)
    assert [loaded.rank(text) for text in TEXTS] == [built.rank(text) for text in TEXTS]


def test_a_loaded_bot_answers_as_the_one_that_was_saved(make: Make, path: Path) -> None:
    built = make()

    _assert_equal(_reload(built, path), built)


def test_a_bot_keeps_the_negations_that_its_classifier_looks_for(make: Make, path: Path) -> None:
    built = make({"intents": TEMPLATES["intents"] | NEGATED_INTENT, "none": ["order a pizza"]})
    loaded = _reload(built, path)

    texts = ["don't turn on the radio", "never order a pizza", "turn on the radio"]
    assert [*map(loaded.match, texts)] == [*map(built.match, texts)]
    assert loaded.match_batch(texts) == built.match_batch(texts)
    for recognizer in (loaded, built):
        recognizer.add_intent("order", ["order a pizza", "pizza please"])
    _assert_equal(loaded, built)
    assert [*map(loaded.match, texts)] == [*map(built.match, texts)]


def test_a_bot_is_scored_with_its_own_list_of_negations(compressed_model: Path, path: Path) -> None:
    templates = {"intents": TEMPLATES["intents"] | NEGATED_INTENT}
    IntentRecognizer.load(templates, compressed_model, correct=False).save(path)
    decision = load_model(path).manifest[BOT]["decision"]
    assert "not" in decision["negations"] and "jamais" not in decision["negations"]
    before = IntentRecognizer.load(path).rank("jamais turn on the radio")
    change_bot(path, {"decision": decision | {"negations": ["jamais"]}}, {})

    after = IntentRecognizer.load(path).rank("jamais turn on the radio")
    scores = [{c.intent: c.score for c in ranked}["radio_on"] for ranked in (before, after)]
    assert scores[1] < scores[0]


def test_a_bot_from_before_negations_keeps_its_scores_until_it_is_edited(
    compressed_model: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(fitting, "negations_of", lambda language: frozenset())
        built = IntentRecognizer.load(
            {"intents": TEMPLATES["intents"] | NEGATED_INTENT}, compressed_model
        )
    loaded = _reload(built, path)

    _assert_equal(loaded, built)
    assert "negations" not in load_model(path).manifest[BOT]["decision"]
    loaded.add_intent("play_music", ["hear a song"])
    assert loaded.scorer is not None and "negations" in loaded.scorer.parts()[0]


def test_a_bot_without_negations_does_not_name_them(make: Make, path: Path) -> None:
    make().save(path)
    assert "negations" not in load_model(path).manifest[BOT]["decision"]


def _weights(recognizer: IntentRecognizer) -> Any:
    """The weights of the fitted classifier."""
    scorer = recognizer.scorer
    assert scorer is not None
    return scorer.parts()[1]["weights"]


@pytest.fixture(scope="module")
def pair(
    compressed_model: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[IntentRecognizer, IntentRecognizer]:
    """A recogniser as it was built, and as it is loaded."""
    built = IntentRecognizer.load(TEMPLATES, compressed_model)
    return built, _reload(built, tmp_path_factory.mktemp("pair") / "bot.safetensors")


_WORDS = st.sampled_from(["turn", "on", "off", "the", "lights", "lamp", "jazz", "please", "laamp"])


@given(st.one_of(st.text(), st.lists(_WORDS).map(" ".join)))
def test_a_loaded_bot_answers_any_text_as_the_one_that_was_saved(
    pair: tuple[IntentRecognizer, IntentRecognizer], text: str
) -> None:
    built, loaded = pair

    assert loaded.match(text) == built.match(text)
    assert loaded.rank(text) == built.rank(text)
    assert loaded.match_batch([text, "lamp on"]) == built.match_batch([text, "lamp on"])


@pytest.mark.parametrize("templates", [{}, {"odd": ["xyzzy plugh"]}, {"one": ["lamp on"]}])
def test_a_bot_of_few_templates_is_kept(make: Make, path: Path, templates: Any) -> None:
    built = make(templates)
    loaded = _reload(built, path)

    _assert_equal(loaded, built)
    for recognizer in (loaded, built):
        recognizer.add_intent("lights_on", ["turn on the lights", "lamp on"])
    _assert_equal(loaded, built)


def test_loading_encodes_and_fits_nothing(
    make: Make, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make().save(path)

    def fail(*_: object, **__: object) -> None:
        raise AssertionError("a text is encoded, or something is fitted")

    with monkeypatch.context() as patched:
        for name in ("encode", "encode_batch"):
            patched.setattr(StaticEncoder, name, fail)
        patched.setattr(fitting, "fit_scorer", fail)
        patched.setattr(building, "fit_template_quantizer", fail)
        loaded = IntentRecognizer.load(path)
    assert loaded.match("turn on the lights").intent == "lights_on"


def _edit(recognizer: IntentRecognizer) -> None:
    recognizer.add_intent("order", ["order a pizza", "pizza please"], threshold=0.2)
    recognizer.add_intent("lights_on", ["switch the lamp on"], counter_examples=["lamp off"])
    recognizer.remove_intent("play_music")
    recognizer.threshold, recognizer.margin = 0.35, 0.01


def test_editing_after_loading_equals_editing_before_saving(make: Make, path: Path) -> None:
    edited, loaded = make(), _reload(make(), path)
    _edit(edited)
    _edit(loaded)

    _assert_equal(loaded, edited)
    _assert_equal(_reload(loaded, path), edited)


def test_saving_a_loaded_bot_gives_the_same_file(make: Make, path: Path) -> None:
    loaded = _reload(make(), path)
    content = path.read_bytes()
    loaded.save(path)

    assert path.read_bytes() == content
    _assert_equal(IntentRecognizer.load(path), loaded)


def test_the_end_of_the_name_chooses_between_bot_and_template_file(
    make: Make, tmp_path: Path
) -> None:
    recognizer = make()
    recognizer.save(tmp_path / "set.json")
    recognizer.save(tmp_path / "BOT.SAFETENSORS")

    assert (tmp_path / "set.json").read_bytes().startswith(b"{")
    assert IntentRecognizer.load(tmp_path / "BOT.SAFETENSORS").templates == recognizer.templates


def test_a_bot_file_is_found_by_its_content(make: Make, path: Path) -> None:
    built = make()
    built.save(path)
    renamed = path.rename(path.with_name("my_bot.json"))

    _assert_equal(IntentRecognizer.load(renamed), built)


def test_a_bot_file_is_a_model(compressed_model: Path, path: Path) -> None:
    IntentRecognizer.load(TEMPLATES, compressed_model).save(path)
    bot, model = load_encoder(path), load_encoder(compressed_model)

    assert bot.manifest == model.manifest
    assert np.array_equal(bot.encode_batch(TEXTS), model.encode_batch(TEXTS))
    other = IntentRecognizer.load({"on": ["lamp on"]}, path)
    assert other.intents == ("on",)
    assert BOT not in other.encoder.to_model_file_parts()[0]  # type: ignore[attr-defined]


def test_a_bot_file_keeps_its_model_whatever_ships(
    contextual_model: Path,
    transformer_model: Path,
    path: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A file that was built with the default model of an earlier version."""

    def ship(model: Path) -> None:
        folder = tmp_path / model.stem
        folder.mkdir()
        shutil.copyfile(model, folder / "default.safetensors")
        monkeypatch.setattr(shipped_models, "_ASSETS", folder)

    ship(contextual_model)
    built = IntentRecognizer.load(TEMPLATES)
    built.save(path)

    ship(transformer_model)
    assert load_encoder().kind == "transformer"
    loaded = IntentRecognizer.load(path)
    assert load_encoder(path).kind == "contextual"
    _assert_equal(loaded, built)
    for recognizer in (loaded, built):
        recognizer.add_intent("order", ["order a pizza", "pizza please"])
    _assert_equal(_reload(loaded, path), built)
    assert load_encoder(path).kind == "contextual"


def test_a_model_beside_a_bot_file_is_refused(make: Make, path: Path) -> None:
    make().save(path)

    with pytest.raises(PocketIntentError, match="contains its model, but the model tiny"):
        IntentRecognizer.load(path, "tiny")
    with pytest.raises(PocketIntentError, match="the backend 'onnxruntime' needs a folder"):
        IntentRecognizer.load(path, backend="onnxruntime")


def test_a_bot_file_given_as_the_model_says_what_to_write(make: Make, path: Path) -> None:
    make().save(path)

    with pytest.raises(PocketIntentError) as error:
        IntentRecognizer.load(model=path)
    assert f"write IntentRecognizer.load({str(path)!r})" in str(error.value)
    with pytest.raises(PocketIntentError, match="no templates; give a file"):
        IntentRecognizer.load(model="tiny")


def test_another_decision_and_search_are_built_from_the_bots_templates(
    make: Make, decision: Decision, path: Path, compressed_model: Path
) -> None:
    make().save(path)
    other: Decision = "nearest" if decision == "logistic" else "logistic"

    for search in ("table", "exact"):
        loaded = IntentRecognizer.load(path, decision=other, search=search)  # type: ignore[arg-type]
        built = IntentRecognizer.load(
            TEMPLATES,
            compressed_model,
            decision=other,
            search=search,  # type: ignore[arg-type]
        )
        _assert_equal(loaded, built)
    with pytest.raises(PocketIntentError, match="decision 'best' is not one of"):
        IntentRecognizer.load(path, decision="best")  # type: ignore[arg-type]


def test_a_model_without_a_bot_is_refused_as_templates(compressed_model: Path) -> None:
    with pytest.raises(ModelFileError, match=r"a model without templates.*pocketintent build"):
        IntentRecognizer.load(compressed_model)


def test_a_recogniser_of_an_exported_graph_is_not_saved_as_a_bot(
    exported: Callable[..., Path], path: Path
) -> None:
    pytest.importorskip("onnxruntime")
    recognizer = IntentRecognizer.load(
        {"on": ["lamp on"]}, exported("onnx"), decision="nearest", backend="onnxruntime"
    )

    with pytest.raises(PocketIntentError, match="this recogniser runs an exported graph"):
        recognizer.save(path)
    assert not path.exists()


def test_a_bot_can_be_saved_over_the_file_that_it_was_loaded_from(
    compressed_model: Path, path: Path
) -> None:
    loaded = _reload(IntentRecognizer.load(TEMPLATES, compressed_model), path)
    copy = path.with_name("copy.safetensors")
    shutil.copy(path, copy)
    loaded.add_intent("order", ["order a pizza"])
    loaded.save(path)

    assert "order" in IntentRecognizer.load(path).intents
    assert "order" not in IntentRecognizer.load(copy).intents
    _assert_equal(IntentRecognizer.load(path), loaded)


@pytest.mark.parametrize("correct", [True, False])
def test_a_bot_file_has_the_correction_unless_another_is_asked_for(
    correct: bool, compressed_model: Path, tmp_path: Path
) -> None:
    path = tmp_path / "bot.safetensors"
    bot = IntentRecognizer.load(TEMPLATES, compressed_model, correct=correct)
    bot.save(path)

    opened = IntentRecognizer.load(path)
    assert (
        opened.read("trun teh") == bot.read("trun teh") == ("turn the" if correct else "trun teh")
    )
    other = IntentRecognizer.load(path, correct=not correct)
    assert other.read("trun teh") == ("trun teh" if correct else "turn the")
    assert IntentRecognizer.load(path, correct=False, search="exact").read("teh") == "teh"
