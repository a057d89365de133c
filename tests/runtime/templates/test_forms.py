import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from pocketintent.runtime.errors import TemplateError
from pocketintent.runtime.templates.files import bundled_templates
from pocketintent.runtime.templates.forms import MAX_PROBLEMS, is_blank, normalise_form
from pocketintent.runtime.templates.template_set import (
    DEFAULT_MARGIN,
    DEFAULT_THRESHOLD,
    IntentTemplates,
    TemplateSet,
    parse_templates,
)

SCHEMA_FILE = bundled_templates()["smart_home"].with_name("templates.schema.json")
SCHEMA = Draft202012Validator(json.loads(SCHEMA_FILE.read_text("utf-8")))

GOOD: list[Any] = [
    {},
    {"intents": {}},
    {"intents": {"a": {"templates": ["x"]}}},
    {"intents": {"a": {"templates": ["x", "y"], "threshold": -1}}, "threshold": 1, "margin": 2},
    {"intents": {"a": {"templates": ["x"]}}, "language": None, "$schema": "s.json", "margin": 0},
    {"intents": {"a": {"templates": ["x"], "except": ["y"]}}, "none": ["z"], "background": ["w"]},
    {"intents": {"a": {"templates": ["x"], "except": []}}, "none": [], "background": []},
    {"intents": {"a": {"templates": ["x"]}}, "learn_names": False},
    {"a": ["x", "y"]},
    {"a": [{"text": "x"}, "y"], "$schema": "s.json"},
    {"intents": ["an intent that is called intents"]},
    {"threshold": ["an intent that is called threshold"]},
    {"learn_names": ["an intent that is called learn_names"]},
    {"none": ["an intent that is called none"], "except": ["an intent that is called except"]},
    {"名前": ["電気をつけて"], "emoji": ["💡", "é"]},
]

# What is wrong, with words that the message must have.
BAD: list[tuple[Any, list[str]]] = [
    (None, ["top level", "null"]),
    ([], ["top level", "a list"]),
    ("x", ["top level", "a text"]),
    ({"intents": None}, ["'intents'", "null"]),
    ({"intents": {"a": ["x"]}}, ["intent 'a'", '"templates"']),
    ({"intents": {"a": {}}}, ["intent 'a'", "no list of templates"]),
    ({"intents": {"a": {"templates": []}}}, ["intent 'a'", "no templates"]),
    ({"intents": {"a": {"templates": "x"}}}, ["intent 'a'", "a list of texts"]),
    ({"intents": {"a": {"templates": ["x", " \t"]}}}, ["intent 'a', template 2", "empty"]),
    ({"intents": {"a": {"templates": ["x", 3]}}}, ["intent 'a', template 2", "a number"]),
    ({"intents": {"a": {"templates": [{"text": "x"}]}}}, ["intent 'a', template 1", "an object"]),
    ({"intents": {"a": {"templates": ["x"], "treshold": 0}}}, ["intent 'a'", "'threshold'?"]),
    ({"intents": {"a": {"templates": ["x"], "threshold": 1.01}}}, ["intent 'a'", "1.01", "-1 to"]),
    ({"intents": {"a": {"templates": ["x"], "threshold": None}}}, ["intent 'a'", "null"]),
    ({"intents": {"a": {"templates": ["x"], "threshold": True}}}, ["intent 'a'", "true"]),
    ({"intents": {"a": {"templates": ["x"], "except": "y"}}}, ["'a'", "'except' is a text"]),
    ({"intents": {"a": {"templates": ["x"], "except": None}}}, ["'a'", "'except' is null"]),
    ({"intents": {"a": {"templates": ["x"], "except": ["y", 3]}}}, ["'a', counter-example 2 is a"]),
    (
        {"intents": {"a": {"templates": ["x"], "except": [" "]}}},
        ["counter-example 1", "empty"],
    ),
    ({"intents": {"a": {"templates": ["x"], "except": [{"text": "y"}]}}}, ["an object"]),
    ({"intents": {"a": {"except": ["x"]}}}, ["intent 'a'", "no list of templates"]),
    ({"intents": {"a": {"templates": ["x"], "exept": ["x"]}}}, ["intent 'a'", "'except'?"]),
    ({"intents": {}, "none": ["x", "\u200b"]}, ["'none', text 2", "empty or invisible"]),
    ({"intents": {}, "none": None}, ["'none' is null", "a list of texts"]),
    ({"intents": {}, "none": {"text": "x"}}, ["'none' is an object", "a list of texts"]),
    ({"intents": {}, "background": ["x", "y", ["z"]]}, ["'background', text 3 is a list"]),
    ({"intents": {}, "background": "x"}, ["'background' is a text", "a list of texts"]),
    ({"intents": {}, "learn_names": 1}, ["'learn_names' is a number", "true or false"]),
    ({"intents": {}, "learn_names": None}, ["'learn_names' is null", "true or false"]),
    ({"intents": {}, "learn_name": True}, ["'learn_name'", "did you mean 'learn_names'?"]),
    ({"learn_names": False}, ["'learn_names' is true or false", '"intents"']),
    ({"a": ["x"], "none": 3}, ["'none' is a number", '"intents"']),
    ({"intents": {" ": {"templates": ["x"]}}}, ["intent ' '", "name"]),
    ({"intents": {}, "threshold": -1.5}, ["'threshold'", "-1.5"]),
    ({"intents": {}, "threshold": "0.5"}, ["'threshold'", "a text"]),
    ({"intents": {}, "margin": -0.1}, ["'margin'", "0 to 2"]),
    ({"intents": {}, "language": 3}, ["'language'", "a number"]),
    ({"intents": {}, "language": ""}, ["'language'", "empty"]),
    ({"intents": {}, "extra": 1}, ["'extra'", "known"]),
    ({"threshold": 0.5, "a": ["x"]}, ["'threshold'", '"intents"']),
    ({"a": []}, ["intent 'a'", "no templates"]),
    ({"a": "x"}, ["intent 'a'", "a list of texts"]),
    ({"a": {"templates": ["x"]}}, ["intent 'a'", "an object"]),
    ({"a": [""]}, ["intent 'a', template 1", "empty"]),
    ({"a": ["x", {"text": " "}]}, ["intent 'a', template 2", "empty"]),
    ({"a": [{"text": "x", "lang": "en"}]}, ["intent 'a', template 1", "'lang'"]),
    ({"a": [{}]}, ["intent 'a', template 1", "text"]),
    ({"a": [["x"]]}, ["intent 'a', template 1", "a list"]),
    ({"": ["x"]}, ["intent ''", "name"]),
]

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.floats(-2, 3)
    | st.sampled_from(["", " ", "x", "turn on the lights"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    *("intents", "templates", "text", "threshold", "margin", "language", "$schema"),
                    *("except", "none", "background", "learn_names", "a"),
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("obj", GOOD)
def test_good_examples_pass_the_parser_and_the_schema(obj: Any) -> None:
    parse_templates(obj)
    assert SCHEMA.is_valid(obj)


@pytest.mark.parametrize(("obj", "words"), BAD)
def test_bad_examples_fail_the_schema_and_the_parser_says_where_and_what(
    obj: Any, words: list[str]
) -> None:
    assert not SCHEMA.is_valid(obj)
    with pytest.raises(TemplateError) as caught:
        parse_templates(obj, "bot.json")
    assert all(word in str(caught.value) for word in ["bot.json: ", *words])


@given(json_values)
def test_parser_and_schema_agree_on_any_value(obj: Any) -> None:
    assert SCHEMA.is_valid(obj) == (not normalise_form(obj)[1])


def test_schema_and_parser_agree_on_which_characters_are_invisible() -> None:
    pattern = re.compile(json.loads(SCHEMA_FILE.read_text("utf-8"))["$defs"]["text"]["pattern"])
    for char in map(chr, range(0x10000)):  # regular expressions differ beyond it
        assert is_blank(char) == (pattern.search(char) is None), hex(ord(char))


def test_the_three_forms_give_the_same_intents() -> None:
    long = parse_templates({"intents": {"a": {"templates": ["x", "y"]}, "b": {"templates": ["z"]}}})
    assert parse_templates({"a": ["x", "y"], "b": ["z"]}) == long
    assert parse_templates({"a": [{"text": "x"}, {"text": "y"}], "b": [{"text": "z"}]}) == long
    assert long.threshold == DEFAULT_THRESHOLD
    assert long.margin == DEFAULT_MARGIN


def test_settings_of_the_long_form_are_read() -> None:
    template_set = parse_templates(
        {
            "$schema": "templates.schema.json",
            "language": "en",
            "threshold": 0.55,
            "margin": 0.03,
            "learn_names": False,
            "intents": {"a": {"templates": ["x"], "threshold": 1, "except": ["y", "z"]}},
            "none": ["v", "u"],
            "background": ["w"],
        }
    )
    assert template_set == TemplateSet(
        {"a": IntentTemplates(["x"], 1.0, ["y", "z"])},
        *("en", 0.55, 0.03, "templates.schema.json", ["v", "u"], ["w"], False),
    )


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), 10**400])
def test_numbers_that_are_no_thresholds_are_refused(value: float) -> None:
    for key in ("threshold", "margin"):
        with pytest.raises(TemplateError, match=key):
            parse_templates({"intents": {}, key: value})


def test_a_lone_surrogate_is_refused_because_it_cannot_be_saved() -> None:
    with pytest.raises(TemplateError, match="intent 'a', template 1"):
        parse_templates({"a": ["\ud800"]})
    with pytest.raises(TemplateError, match="name"):
        parse_templates({"\ud800": ["x"]})
    with pytest.raises(TemplateError, match="'none', text 1"):
        parse_templates({"intents": {}, "none": ["\ud800"]})


def test_all_problems_are_counted_in_one_error() -> None:
    with pytest.raises(TemplateError, match="problems in all: 3"):
        parse_templates({"a": ["", ""], "b": []})


def test_counting_stops_after_a_hundred_problems() -> None:
    unknown = {f"{number}{'x' * 1000}": None for number in range(10_000)}
    for obj in ({"intents": {}} | unknown, {"intents": {"a": {"templates": ["x"]} | unknown}}):
        _, problems = normalise_form(obj)
        assert len(problems) == MAX_PROBLEMS
        assert sum(map(len, problems)) < 300 * MAX_PROBLEMS
    with pytest.raises(TemplateError, match="problems in all: at least 100"):
        parse_templates({"a": [""] * 1000})
    for bad in (
        {"intents": {"a": {"templates": ["x"], "except": [""] * 1000}}},
        {"intents": {}, "none": [""] * 60, "background": [""] * 60},
    ):
        assert len(normalise_form(bad)[1]) == MAX_PROBLEMS


@pytest.mark.parametrize(
    "text", ["\u200b", "\ufeff", "\u2060\ufe0f", "\u3164", "\u2800 ", "\x1b", "\u00ad\n"]
)
def test_a_text_or_name_of_invisible_characters_alone_is_refused(text: str) -> None:
    with pytest.raises(TemplateError, match="intent 'a', template 2 is empty or invisible"):
        parse_templates({"a": ["x", text]})
    with pytest.raises(TemplateError, match="the name is empty, invisible or not valid"):
        parse_templates({"intents": {text: {"templates": ["x"]}}})
    assert parse_templates({"a": [f"x{text}"]}).intents["a"].templates == [f"x{text}"]


@pytest.mark.parametrize("text", ["_", "🙂", "?", "日", "\u0301", "क्ष", "0"])
def test_a_visible_text_is_accepted(text: str) -> None:
    assert parse_templates({text: [text]}).intents[text].templates == [text]
