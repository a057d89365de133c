import math
import pickle
import threading
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lights_bot import TEMPLATES, Make
from pocketintent import (
    IntentRecognizer,
    PocketIntentError,
    TemplateError,
)
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.quantization.matrices import DenseMatrix
from pocketintent.runtime.text.vocabulary import Vocabulary

EDITED = {"extra", "intent_9"}


def tolerance(recognizer: IntentRecognizer) -> float:
    """How far scores after an edit may be from those of a fit from scratch.

    The codebook of the templates is fitted on others there, since the test's model has none.
    """
    return 0.02 if recognizer.search == "exact" else 0.1


def test_without_templates_there_is_no_intent_until_one_is_added(make: Make) -> None:
    recognizer = make({"intents": {}})
    assert recognizer.match("lamp on").reason == "no_templates"
    assert recognizer.rank("lamp on") == []

    recognizer.add_intent("lights_on", ["lamp on"])
    assert recognizer.match("lamp on").intent == "lights_on"

    recognizer.remove_intent("lights_on")
    assert recognizer.match("lamp on").reason == "no_templates"
    assert recognizer.intents == ()


def test_edits_give_the_recogniser_that_the_edited_set_gives(make: Make) -> None:
    recognizer = make()
    recognizer.add_intent("greet", ["hello", "hi"], threshold=0.7)
    recognizer.add_intent("lights_off", ["light off"])
    recognizer.remove_intent("play_music")
    fresh = make(recognizer.templates)

    assert recognizer.intents == fresh.intents == ("lights_on", "lights_off", "greet")
    assert recognizer.templates.intents["greet"].threshold == 0.7
    for text in ("hello", "light off", "play jazz", "turn on the lamp"):
        edited, expected = recognizer.match(text), fresh.match(text)
        assert edited.nearest == expected.nearest
        assert edited.score == pytest.approx(expected.score, abs=tolerance(recognizer))


def test_counter_examples_are_added_and_saved_with_the_templates(
    make: Make, tmp_path: Path
) -> None:
    recognizer = make()
    recognizer.add_intent("lights_on", [], counter_examples=["no lamp on"])
    recognizer.add_intent("greet", ["hello"], counter_examples=["hello kitty"])
    recognizer.save(tmp_path / "saved.json")

    intents = make(tmp_path / "saved.json").templates.intents
    assert intents["lights_on"].counter_examples == ["no lamp on"]
    assert intents["greet"].counter_examples == ["hello kitty"]
    assert intents["lights_on"].templates == make().templates.intents["lights_on"].templates


@pytest.mark.parametrize("path", ["", None, 3, "a\0b.json"])
def test_what_is_no_path_is_refused(make: Make, path: Any) -> None:
    with pytest.raises(PocketIntentError, match=r"^path must be a path, not "):
        make().save(path)


@pytest.mark.parametrize("name", ["bot", "bot.safetensor", "bot.txt"])
def test_a_name_that_is_neither_of_a_template_file_nor_of_a_bot_file_is_refused(
    make: Make, tmp_path: Path, name: str
) -> None:
    with pytest.raises(PocketIntentError, match=r"ends in \.json, that of a bot file"):
        make().save(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_an_edit_that_breaks_the_format_changes_nothing(make: Make) -> None:
    recognizer = make()
    before = recognizer.templates

    with pytest.raises(TemplateError):
        recognizer.add_intent("greet", [])
    with pytest.raises(TemplateError, match="'greet' has no templates"):
        recognizer.add_intent("greet", [], counter_examples=["goodbye"])
    with pytest.raises(TemplateError):
        recognizer.remove_intent("nowhere")
    with pytest.raises(PocketIntentError, match="threshold must be a number from -1 to 1, not 2"):
        recognizer.threshold = 2
    with pytest.raises(PocketIntentError, match="margin must be a number from 0 to 2, not nan"):
        recognizer.margin = math.nan

    assert recognizer.templates == before


@pytest.mark.parametrize("value", ["x", "0.5", None, True, math.nan, math.inf, -1.5, 3, [0.5]])
def test_a_threshold_or_margin_that_is_no_number_in_its_range_is_refused(
    make: Make, value: Any
) -> None:
    recognizer = make()
    before = recognizer.templates

    with pytest.raises(PocketIntentError, match="threshold must be a number from -1 to 1, not "):
        recognizer.threshold = value
    with pytest.raises(PocketIntentError, match="margin must be a number from 0 to 2, not "):
        recognizer.margin = value
    if value is not None:  # keeps the current one
        with pytest.raises(PocketIntentError, match=r"'threshold' is .* number from -1 to 1"):
            recognizer.add_intent("greet", ["hello"], threshold=value)

    assert recognizer.templates == before


def test_a_threshold_may_be_a_number_of_numpy(make: Make) -> None:
    recognizer = make()
    recognizer.threshold = np.float32(0.25)
    recognizer.margin = np.int64(1)
    assert (type(recognizer.threshold), recognizer.threshold, recognizer.margin) == (float, 0.25, 1)


def test_the_templates_are_a_copy(make: Make) -> None:
    recognizer = make()
    recognizer.templates.intents.clear()

    assert recognizer.intents == tuple(TEMPLATES)


def test_what_is_saved_loads_as_the_same_recogniser(make: Make, tmp_path: Path) -> None:
    recognizer = make()
    recognizer.threshold, recognizer.margin = 0.61, 0.02
    recognizer.add_intent("greet", ["hello"], threshold=0.9)
    recognizer.save(tmp_path / "saved.json")

    loaded = make(tmp_path / "saved.json")

    assert loaded.templates == recognizer.templates
    for text in ("hello hi", "lamp off", "play jazz now", "zzz"):
        assert loaded.match(text).intent == recognizer.match(text).intent


def _random_encoder(num_words: int = 600, dim: int = 64) -> StaticEncoder:
    rng = np.random.default_rng(3)
    words = [f"w{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(num_words)]
    return StaticEncoder(
        Vocabulary(words), DenseMatrix(rng.normal(size=(num_words, dim)).astype(np.float32))
    )


def _random_templates(words: list[str], num_intents: int) -> dict[str, list[str]]:
    rng = np.random.default_rng(4)
    return {
        f"intent_{i}": [" ".join(rng.choice(words, 4)) for _ in range(5)]
        for i in range(num_intents)
    }


def test_threads_that_match_never_see_half_an_edit() -> None:
    encoder = _random_encoder()
    templates = _random_templates(encoder.vocabulary.words, 10)
    recognizer = IntentRecognizer(encoder, {"intents": {}}, decision="nearest")
    for name, texts in templates.items():
        recognizer.add_intent(name, texts)
    text = templates["intent_3"][2]
    failures: list[object] = []
    done = threading.Event()

    def match() -> None:
        try:
            while not done.is_set():
                result = recognizer.match(text)
                names = set(recognizer.templates.intents)
                if result.template != text or result.intent != "intent_3":
                    failures.append(result)
                # Both are edited, perhaps between the two calls.
                if not {c.intent for c in recognizer.rank(text, 50)} <= names | EDITED:
                    failures.append(names)
        except Exception as error:
            failures.append(error)

    def edit(first: int) -> None:
        try:
            for i in range(first, first + 15):
                recognizer.add_intent("extra", [encoder.vocabulary.words[i], "waa wab"])
                recognizer.threshold = 0.1 + i / 1000
                if first == 0:
                    recognizer.remove_intent("intent_9")
                    recognizer.add_intent("intent_9", templates["intent_9"])
        except Exception as error:
            failures.append(error)

    readers = [threading.Thread(target=match) for _ in range(4)]
    writers = [threading.Thread(target=edit, args=(first,)) for first in (0, 100)]
    for thread in readers + writers:
        thread.start()
    for thread in writers:
        thread.join()
    done.set()
    for thread in readers:
        thread.join()

    assert failures == []
    assert len(recognizer.templates.intents["extra"].templates) == 60
    assert len(recognizer.intents) == 11


def test_an_edit_makes_its_words_known_and_keeps_the_switch(make: Make) -> None:
    recognizer, plain = make(), make(correct=False)
    assert recognizer.read("turn onn") == "turn on"
    for edited in (recognizer, plain):
        edited.add_intent("heater", ["the heater lamp", "lamp onn"])

    assert recognizer.read("turn onn haeter") == "turn onn heater"
    assert plain.read("haeter") == "haeter"


def test_a_changed_copy_of_the_templates_can_be_set(make: Make) -> None:
    recognizer = make()
    edited = deepcopy(recognizer.templates)
    edited.intents["lights_on"].templates.remove("lights on please")
    edited.intents["lights_off"].threshold = 0.9
    edited.none.append("never mind")
    edited.add_intent("greet", ["hello", "good morning"])
    edited.remove_intent("play_music")
    recognizer.templates = edited

    assert recognizer.templates == edited
    assert recognizer.intents == ("lights_on", "lights_off", "greet")
    assert recognizer.match("hello").intent == "greet"
    assert recognizer.match("never mind").intent is None
    fresh = make(edited)
    for text in ("hello", "light off", "turn on the lamp"):
        match, expected = recognizer.match(text), fresh.match(text)
        assert (match.nearest, match.template) == (expected.nearest, expected.template)
        assert match.score == pytest.approx(expected.score, abs=tolerance(recognizer))

    edited.none.append("the recogniser has a copy")
    assert recognizer.templates != edited


def test_an_edit_by_name_of_the_copy_is_refused(make: Make) -> None:
    recognizer = make()
    with pytest.raises(TemplateError, match=r"use recognizer\.add_intent, or edit copy\.deepcopy"):
        recognizer.templates.add_intent("greet", ["hello"])
    with pytest.raises(TemplateError, match=r"use recognizer\.remove_intent"):
        recognizer.templates.remove_intent("play_music")
    assert recognizer.templates == make().templates
    for copied in (
        deepcopy(recognizer.templates),
        pickle.loads(pickle.dumps(recognizer.templates)),
    ):
        assert copied == recognizer.templates and recognizer.templates == copied
        copied.add_intent("greet", ["hello"])
        assert "greet" in copied.intents and copied != recognizer.templates


def test_templates_that_break_the_format_are_not_set(make: Make) -> None:
    recognizer = make()
    before, broken = recognizer.templates, recognizer.templates
    broken.intents["lights_on"].templates.clear()
    with pytest.raises(TemplateError, match="'lights_on' has no templates"):
        recognizer.templates = broken
    with pytest.raises(TemplateError, match="a mapping or a TemplateSet, not list"):
        recognizer.templates = ["lamp on"]  # type: ignore[assignment]
    assert recognizer.templates == before

    recognizer.templates = {"lights_on": ["lamp on"]}
    assert recognizer.intents == ("lights_on",)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("none", "abc", "'none' is a text; write a list"),
        ("background", "log line", "'background' is a text; write a list"),
        ("learn_names", None, "'learn_names' is null; write true or false"),
        ("intents", None, "'intents' must be a dict, not NoneType"),
        ("intents", {"greet": ["hello"]}, "'greet' is a list, not IntentTemplates; `add_intent`"),
        ("threshold", "high", "'threshold' is a text; write a number"),
    ],
)
def test_a_field_of_another_type_is_refused_and_not_repaired(
    make: Make, field: str, value: Any, message: str
) -> None:
    recognizer = make()
    edited = recognizer.templates
    setattr(edited, field, value)
    with pytest.raises(TemplateError, match=message):
        recognizer.templates = edited
    assert recognizer.templates == make().templates


@pytest.mark.parametrize("name", ["encoder", "decision", "search", "correct"])
def test_what_a_recogniser_was_opened_with_cannot_be_assigned(make: Make, name: str) -> None:
    recognizer = make()
    with pytest.raises(AttributeError, match=name):
        setattr(recognizer, name, getattr(recognizer, name))


def test_thresholds_are_changed_without_a_new_fit(make: Make) -> None:
    recognizer = make()
    scorer = recognizer.scorer
    recognizer.add_intent("lights_on", [], threshold=0.9)
    assert recognizer.templates.intents["lights_on"].threshold == 0.9
    edited = recognizer.templates
    edited.intents["lights_on"].threshold = None
    edited.threshold = edited.margin = 0.3
    recognizer.templates = edited
    assert (recognizer.threshold, recognizer.margin) == (0.3, 0.3)
    assert recognizer.scorer is scorer


def test_a_misspelt_attribute_is_an_error(make: Make) -> None:
    with pytest.raises(AttributeError, match="treshold"):
        make().treshold = 0.9  # type: ignore[attr-defined]
