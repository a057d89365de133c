import json
import string

import pytest
from jsonschema import Draft202012Validator

from pocketintent.runtime.templates.checks import check_templates
from pocketintent.runtime.templates.files import bundled_templates, load_templates
from pocketintent.runtime.templates.template_set import (
    TemplateSet,
    parse_templates,
)

SCHEMA_FILE = bundled_templates()["smart_home"].with_name("templates.schema.json")
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


@pytest.mark.parametrize("name", ["banking_support", "small_talk", "smart_home", "travel"])
def test_shipped_sets_are_valid_varied_and_without_warnings(name: str) -> None:
    path = bundled_templates()[name]
    assert SCHEMA.is_valid(json.loads(path.read_bytes()))
    template_set = load_templates(name)
    assert check_templates(template_set) == []
    assert 12 <= len(template_set.intents) <= 18
    assert template_set.language == "en"
    for intent_name, intent in template_set.intents.items():
        assert set(intent_name) <= set(string.ascii_lowercase + "_")
        assert 10 <= len(intent.templates) <= 15, intent_name
