from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent.runtime.errors import TemplateError
from pocketintent.runtime.templates.template_set import (
    DEFAULT_THRESHOLD,
    IntentTemplates,
    TemplateSet,
    parse_templates,
    text_of_name,
    words_of_name,
)
from pocketintent.runtime.text.tokenizer import MAX_CHARS, simple_tokenize


def test_add_intent_makes_an_intent_or_extends_one() -> None:
    template_set = TemplateSet()
    template_set.add_intent("a", ["x"], threshold=0.7)
    template_set.add_intent("a", (text for text in ["y", "x"]))
    assert template_set.intents == {"a": IntentTemplates(["x", "y", "x"], 0.7)}
    template_set.add_intent("a", ["z"], threshold=0.2)
    assert template_set.intents["a"].threshold == 0.2


def test_add_intent_adds_counter_examples_with_templates_or_alone() -> None:
    template_set = TemplateSet()
    template_set.add_intent("a", ["x"], counter_examples=["not x"])
    template_set.add_intent("a", [], counter_examples=(text for text in ["never x"]))
    template_set.add_intent("a", ["y"], 0.7)
    assert template_set.intents == {"a": IntentTemplates(["x", "y"], 0.7, ["not x", "never x"])}


@pytest.mark.parametrize(
    ("name", "added", "counter_examples"),
    [
        ("a", ["ok"], ["fine", " "]),
        ("a", ["ok"], "text"),
        ("a", "", ["fine"]),
        ("a", [], [3]),
        ("a", [], []),
        ("new", [], ["fine"]),
    ],
)
def test_refused_counter_examples_change_nothing(
    name: str, added: Any, counter_examples: Any
) -> None:
    template_set = parse_templates({"a": ["x"]})
    with pytest.raises(TemplateError, match=f"intent '{name}'"):
        template_set.add_intent(name, added, counter_examples=counter_examples)
    assert template_set == parse_templates({"a": ["x"]})


@pytest.mark.parametrize(
    ("name", "added", "threshold"),
    [
        ("a", ["ok", ""], None),
        ("b", [], None),
        ("", ["x"], None),
        ("b", "text", None),
        ("a", ["x"], 2),
    ],
)
def test_a_refused_addition_changes_nothing(name: str, added: Any, threshold: Any) -> None:
    template_set = parse_templates({"a": ["x"]})
    with pytest.raises(TemplateError):
        template_set.add_intent(name, added, threshold)
    assert template_set == parse_templates({"a": ["x"]})


def test_remove_intent_removes_it_and_helps_with_a_misspelt_name() -> None:
    template_set = parse_templates({"lights_on": ["x"], "music": ["y"]})
    with pytest.raises(TemplateError, match="did you mean 'lights_on'"):
        template_set.remove_intent("light_on")
    with pytest.raises(TemplateError, match="lights_on, music"):
        template_set.remove_intent("?")
    template_set.remove_intent("lights_on")
    assert list(template_set.intents) == ["music"]


def test_the_threshold_of_an_intent_is_its_own_or_that_of_the_set() -> None:
    template_set = TemplateSet({"a": IntentTemplates(["x"], 0.7), "b": IntentTemplates(["y"])})
    assert template_set.threshold_of("a") == 0.7
    assert template_set.threshold_of("b") == DEFAULT_THRESHOLD


@pytest.mark.parametrize(("learn_names", "names"), [(True, ["switch off"]), (False, [])])
def test_all_texts_are_distinct_and_in_order(learn_names: bool, names: list[str]) -> None:
    templates = parse_templates(
        {
            "learn_names": learn_names,
            "intents": {
                "on": {"templates": ["lights on", "on"], "except": ["lights off"]},
                "SwitchOff": {"templates": ["lights off"]},
                "?": {"templates": ["what"]},
            },
            "none": ["hello", "on"],
            "background": ["it rains"],
        }
    )
    texts = ["lights on", "on", "lights off", "what", *names, "hello", "it rains"]
    assert templates.all_texts() == texts


@pytest.mark.parametrize(
    ("name", "tokens"),
    [
        ("card_arrival", ["card", "arrival"]),
        ("smart-home.lights/on", ["smart", "home", "lights", "on"]),
        ("PlayMusic", ["play", "music"]),
        ("openURLAgain", ["open", "url", "again"]),
        ("HTTPError2", ["http", "error", "2"]),
        ("lights_ON", ["lights", "on"]),
        ("éclairÉteint", ["éclair", "éteint"]),
        ("Übersicht", ["übersicht"]),
        ("FAQ", ["faq"]),
        ("!", []),
        ("", []),
    ],
)
def test_a_name_is_split_into_its_words(name: str, tokens: list[str]) -> None:
    assert simple_tokenize(words_of_name(name)) == tokens
    assert text_of_name(name) == " ".join(tokens)


@given(st.text())
def test_only_spaces_are_added(name: str) -> None:
    assert words_of_name(name).replace(" ", "") == name.replace(" ", "")


@given(st.text(st.characters(exclude_categories=["Lu"])))
def test_a_name_without_capitals_stays_as_it_is(name: str) -> None:
    assert words_of_name(name) == name


def test_a_long_name_is_cut_where_the_tokenizer_stops_reading() -> None:
    assert len(words_of_name("a" * (MAX_CHARS + 1))) == MAX_CHARS


@given(st.text())
def test_the_text_of_a_name_has_the_tokens_that_are_learned(name: str) -> None:
    assert simple_tokenize(text_of_name(name)) == simple_tokenize(words_of_name(name))
