import json
import string
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from pocketintent.bot.template_checks import (
    LeftOut,
    check_templates,
    leave_out,
    left_out_warning,
)
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.templates.files import bundled_templates, load_templates
from pocketintent.runtime.templates.template_set import TemplateSet, parse_templates
from pocketintent.runtime.text.languages import NEGATIONS, is_negated
from pocketintent.runtime.text.tokenizer import simple_tokenize

SCHEMA_FILE = bundled_templates()["smart_home"].with_name("templates.schema.json")
NEGATED_FILE = Path(__file__).parents[1] / "resources" / "negated_commands.json"
NEGATIONS_FILE = NEGATED_FILE.with_name("negated_counter_examples.json")
SCHEMA = Draft202012Validator(json.loads(SCHEMA_FILE.read_text("utf-8")))


def test_check_warns_of_what_makes_recognition_worse() -> None:
    template_set = parse_templates(
        {"a": ["Turn it on!", "turn it on", "..."], "b": ["turn it on?", "stop"], "c": ["one"]}
    )
    warnings = check_templates(template_set)
    assert len(warnings) == 4
    assert "'a', template 2" in warnings[0] and "'a', template 1" in warnings[0]
    assert "'a', template 3" in warnings[1] and "no word" in warnings[1]
    assert "'b', template 1" in warnings[2] and "'a', template 1" in warnings[2]
    assert "'c' has one template" in warnings[3]
    assert check_templates(TemplateSet()) == ["the set has no intents"]


def test_a_counter_example_that_is_a_template_of_its_intent_is_a_warning() -> None:
    template_set = parse_templates(
        {
            "intents": {
                "on": {"templates": ["light on", "lamp on"], "except": ["light off", "Lamp on!"]},
                "off": {"templates": ["light off", "lamp off"], "except": ["no", "NO.", "?"]},
            }
        }
    )
    conflict, duplicate, empty = check_templates(template_set)
    assert "intent 'on', counter-example 2 ('Lamp on!')" in conflict
    assert "template 2 ('lamp on')" in conflict and "pull against each other" in conflict
    assert "'off', counter-example 2 ('NO.')" in duplicate and "counter-example 1" in duplicate
    assert "'off', counter-example 3" in empty and "no word" in empty


@pytest.mark.parametrize("name", ["intents", "templates", "except", "language", "threshold"])
def test_an_intent_named_like_a_key_of_the_format_is_a_warning(name: str) -> None:
    (warning,) = check_templates(parse_templates({name: ["turn on the lights", "lamp on"]}))
    assert f"intent {name!r} is an intent like any other" in warning


def test_an_intent_with_negated_templates_and_counter_examples_is_a_warning() -> None:
    lost = {"templates": ["it's gone", "i can't find it"], "except": ["i haven't lost it"]}
    plain = {"templates": ["it's gone", "it is lost"], "except": ["i haven't lost it"]}
    (warning,) = check_templates(parse_templates({"intents": {"lost": lost}}))
    assert "'lost'" in warning and "i can't find it" in warning and "haven't lost it" in warning
    assert not check_templates(parse_templates({"intents": {"lost": plain}}))
    assert not check_templates(parse_templates({"intents": {"lost": lost}, "language": "de"}))


def test_texts_that_contradict_a_name_are_warnings_where_names_are_learned() -> None:
    form = {
        "intents": {
            "lights_on": {"templates": ["lamp", "light up"], "except": ["Lights on?"]},
            "order": {"templates": ["lights on", "a pizza"]},
            "LightsOn": {"templates": ["lights on!", "let there be light"]},
            "...": {"templates": ["halt", "stop"]},
        },
        "none": ["Order!"],
    }
    warnings = check_templates(parse_templates(form))
    assert [warning.partition(":")[0].partition(";")[0] for warning in warnings] == [
        "intent 'lights_on', counter-example 1 ('Lights on?') has the same words as the intent's "
        "name",
        "intent 'order', template 1 ('lights on') has the words of the name of intent 'lights_on'",
        "the name of intent 'LightsOn' has the same words as that of intent 'lights_on'",
        "intent 'LightsOn', template 1 ('lights on!') has the same words as intent 'order', "
        "template 1 ('lights on')",
        "intent 'LightsOn', template 1 ('lights on!') has the words of the name of intent "
        "'lights_on'",
        "'none', text 1 ('Order!') has the same words as the name of intent 'order'",
    ]
    (duplicate,) = check_templates(parse_templates(form | {"learn_names": False}))
    assert "'LightsOn', template 1" in duplicate and "'order', template 1" in duplicate


def test_a_text_without_an_intent_that_is_a_template_is_a_warning() -> None:
    template_set = parse_templates(
        {
            "intents": {"a": {"templates": ["stop", "halt"]}, "b": {"templates": ["go", "run"]}},
            "none": ["well", "Go!", "well?"],
            "background": ["hm", "hm", "stop", "RUN", "go"],
        }
    )
    conflict, duplicate, background = check_templates(template_set)
    assert "'none', text 2 ('Go!')" in conflict and "intent 'b', template 1 ('go')" in conflict
    assert "'none', text 3" in duplicate and "'none', text 1" in duplicate
    assert "'background', text 3 ('stop')" in background and "2 other lines" in background


def test_an_intent_without_a_letter_is_a_warning() -> None:
    warnings = check_templates(parse_templates({"a": ["💡", "1 2"], "b": ["電気", "é 3"]}))
    assert len(warnings) == 1
    assert "intent 'a' has no letter" in warnings[0]


@pytest.mark.parametrize("name", ["none", "background"])
def test_an_intent_named_like_a_list_of_the_long_form_is_a_warning(name: str) -> None:
    warnings = check_templates(parse_templates({"a": ["x", "y"], name: ["z", "w"]}))
    assert len(warnings) == 1
    assert f"intent '{name}'" in warnings[0] and '"intents"' in warnings[0]


@pytest.mark.parametrize("name", ["banking_support", "small_talk", "smart_home", "travel"])
def test_shipped_sets_are_valid_varied_and_without_warnings(name: str) -> None:
    path = bundled_templates()[name]
    assert SCHEMA.is_valid(json.loads(path.read_bytes()))
    template_set = load_templates(name)
    assert check_templates(template_set) == []
    assert 12 <= len(template_set.intents) <= 18
    assert template_set.language == "en"
    assert len(template_set.none) >= 5
    for intent_name, intent in template_set.intents.items():
        assert set(intent_name) <= set(string.ascii_lowercase + "_")
        assert 10 <= len(intent.templates) <= 15, intent_name


@pytest.mark.parametrize("name", ["banking_support", "small_talk", "smart_home", "travel"])
def test_negated_commands_resemble_an_intent_and_are_in_no_list_of_the_set(name: str) -> None:
    template_set = load_templates(name)
    texts = template_set.none.copy()
    for intent in template_set.intents.values():
        texts += intent.templates + intent.counter_examples
    commands = json.loads(NEGATED_FILE.read_bytes())[name]
    negations = json.loads(NEGATIONS_FILE.read_bytes())[name]
    texts += [text for group in negations.values() for text in group]
    assert len(commands) == len({command["text"] for command in commands}) == 10
    for command in commands:
        assert len(negations[command["not"]]) >= 3
        words = simple_tokenize(command["text"])
        assert all(words != simple_tokenize(text) for text in texts)
        assert not is_negated(command["plain"], NEGATIONS["en"])


@pytest.mark.parametrize(
    "text",
    ["play {song}", "order [two](number) pizzas", "turn (on|off) the lamp", "call <name> now"],
)
def test_slots_and_short_forms_of_other_tools_are_a_warning(text: str) -> None:
    warnings = check_templates(parse_templates({"a": ["stop it", text, text + " please"]}))
    assert len(warnings) == 1
    assert f"intent 'a', template 2 ('{text}') has braces, brackets" in warnings[0]
    assert "(templates like it: 2)" in warnings[0]


def test_round_brackets_and_signs_are_none() -> None:
    assert check_templates(parse_templates({"a": ["call mum (mobile)", "is 3 < 4 > 2"]})) == []


def test_templates_are_left_out_one_by_one(tiny_encoder: StaticEncoder) -> None:
    near = ["turn on the lights", "turn on the light", "turn the lights on"]
    templates = parse_templates({"on": near, "alone": ["play some jazz"], "none": ["xyzzy"]})
    counts = {count.intent: count for count in leave_out(tiny_encoder, templates)}
    assert counts["on"].templates == 3
    assert counts["alone"].refused + counts["alone"].confused == 1
    templates.threshold = 1.0
    assert all(c.refused == c.templates for c in leave_out(tiny_encoder, templates))
    templates.threshold = 0.0
    assert not any(count.refused for count in leave_out(tiny_encoder, templates))
    assert leave_out(tiny_encoder, parse_templates({"a": ["qqqq"]})) == []


def test_a_set_that_recognises_its_templates_without_them_has_no_warning() -> None:
    good, bad = LeftOut("a", 10, 3, 2), LeftOut("b", 10, 6, 3)
    assert left_out_warning([good]) is None and left_out_warning([]) is None
    warning = left_out_warning([good, bad])
    assert warning is not None and "9 of 20" in warning and "5 would get" in warning
    assert warning.index("'b' (9 of 10)") < warning.index("'a' (5 of 10)")
