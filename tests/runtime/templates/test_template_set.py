import json
import os
import stat
import string
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from pocketintent.runtime.errors import TemplateError
from pocketintent.runtime.templates.checks import check_templates
from pocketintent.runtime.templates.files import bundled_templates, load_templates, save_templates
from pocketintent.runtime.templates.forms import normalise_form
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
    {"a": ["x", "y"]},
    {"a": [{"text": "x"}, "y"], "$schema": "s.json"},
    {"intents": ["an intent that is called intents"]},
    {"threshold": ["an intent that is called threshold"]},
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

names = st.text(min_size=1).filter(str.strip).filter(lambda name: name not in ("intents",))
texts = st.text(min_size=1).filter(str.strip)
template_sets = st.builds(
    TemplateSet,
    st.dictionaries(
        names,
        st.builds(
            IntentTemplates,
            st.lists(texts, min_size=1, max_size=4),
            st.none() | st.floats(-1, 1),
        ),
        max_size=4,
    ),
    language=st.none() | st.sampled_from(["en", "de-CH"]),
    threshold=st.floats(-1, 1),
    margin=st.floats(0, 2),
    schema=st.none() | st.just("templates.schema.json"),
)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.floats(-2, 3)
    | st.sampled_from(["", " ", "x", "turn on the lights"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["intents", "templates", "text", "threshold", "margin", "language", "$schema", "a"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


def _write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


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
            "intents": {"a": {"templates": ["x"], "threshold": 1}},
        }
    )
    assert template_set == TemplateSet(
        {"a": IntentTemplates(["x"], 1.0)}, "en", 0.55, 0.03, "templates.schema.json"
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


def test_all_problems_are_counted_in_one_error() -> None:
    with pytest.raises(TemplateError, match="problems in all: 3"):
        parse_templates({"a": ["", ""], "b": []})


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", ["not JSON", "line 1"]),
        ('{"a": ["x"],}', ["not JSON", "line 1, column 1"]),
        ('{\n"a": ["x"\n', ["not JSON", "line 3"]),
        ('{"intents": {}, "threshold": NaN}', ["not JSON", "column 30"]),
        (b'{"a":\n["caf\xe9"]}', ["line 2", "UTF-8"]),
        ('{"a": ["\\ud800"]}', ["not JSON"]),
        ('{"a": ["x"], "a": ["y"]}', ["'a'", "twice", "merge"]),
        ('{"intents": {"a": {"templates": ["x"], "templates": ["y"]}}}', ["'templates'", "twice"]),
        ("[" * 100_000, ["not JSON"]),
        ('{"intents": {}, "margin": ' + "9" * 5000 + "}", []),
        ('{"a": ["x", 3]}', ["intent 'a', template 2"]),
    ],
)
def test_an_error_in_a_file_names_the_file_and_the_place(
    tmp_path: Path, content: str | bytes, words: list[str]
) -> None:
    path = _write(tmp_path / "bot.json", content)
    with pytest.raises(TemplateError) as caught:
        load_templates(path)
    assert all(word in str(caught.value) for word in [str(path), *words])


def test_a_byte_order_mark_is_read_over(tmp_path: Path) -> None:
    path = _write(tmp_path / "bot.json", b'\xef\xbb\xbf{"a": ["x"]}')
    assert load_templates(path) == parse_templates({"a": ["x"]})


def test_a_missing_file_error_lists_the_shipped_sets(tmp_path: Path) -> None:
    with pytest.raises(TemplateError, match=r"nothing\.json.*smart_home"):
        load_templates(tmp_path / "nothing.json")
    with pytest.raises(TemplateError, match="no such file"):
        load_templates("")


def test_a_folder_is_no_template_file(tmp_path: Path) -> None:
    with pytest.raises(TemplateError, match=f"^{tmp_path} is a folder; name the template file"):
        load_templates(tmp_path)


def test_sets_are_loaded_from_path_name_mapping_and_set(tmp_path: Path) -> None:
    path = _write(tmp_path / "bot.json", '{"a": ["x"]}')
    loaded = load_templates(path)
    assert load_templates(str(path)) == load_templates({"a": ["x"]}) == loaded
    copy = load_templates(loaded)
    assert copy == loaded
    copy.add_intent("b", ["y"])
    assert "b" not in loaded.intents
    assert "lights_on" in load_templates("smart_home").intents


def test_a_file_wins_over_a_shipped_set_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write(tmp_path / "travel", '{"a": ["x"]}')
    monkeypatch.chdir(tmp_path)
    assert list(load_templates("travel").intents) == ["a"]


@given(template_sets)
def test_a_saved_set_is_loaded_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, template_set: TemplateSet
) -> None:
    path = tmp_path_factory.getbasetemp() / "saved.json"
    save_templates(template_set, path)
    assert load_templates(path) == template_set
    assert SCHEMA.is_valid(json.loads(path.read_bytes()))


def test_an_invalid_set_is_not_saved(tmp_path: Path) -> None:
    path = _write(tmp_path / "bot.json", "old")
    with pytest.raises(TemplateError, match=r"bot\.json.*threshold"):
        save_templates(TemplateSet(threshold=float("nan")), path)
    assert path.read_text() == "old"


def test_a_save_that_fails_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _write(tmp_path / "bot.json", "old")

    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        save_templates(TemplateSet(), path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["bot.json"]


def test_a_save_into_a_folder_that_is_missing_names_the_file_and_the_folder(
    tmp_path: Path,
) -> None:
    path = tmp_path / "none" / "bot.json"
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*none; make it") as caught:
        save_templates(TemplateSet(), path)
    assert caught.value.filename == str(path)


@pytest.mark.skipif(os.name == "nt", reason="POSIX permissions and links")
def test_saving_keeps_permissions_and_follows_links(tmp_path: Path) -> None:
    path = _write(tmp_path / "bot.json", "{}")
    path.chmod(0o640)
    link = tmp_path / "link.json"
    link.symlink_to(path)
    save_templates(parse_templates({"a": ["x"]}), link)
    assert link.is_symlink()
    assert load_templates(path).intents["a"].templates == ["x"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_add_intent_makes_an_intent_or_extends_one() -> None:
    template_set = TemplateSet()
    template_set.add_intent("a", ["x"], threshold=0.7)
    template_set.add_intent("a", (text for text in ["y", "x"]))
    assert template_set.intents == {"a": IntentTemplates(["x", "y", "x"], 0.7)}
    template_set.add_intent("a", ["z"], threshold=0.2)
    assert template_set.intents["a"].threshold == 0.2


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


def test_the_schema_is_a_schema_and_not_a_set() -> None:
    Draft202012Validator.check_schema(SCHEMA.schema)
    assert set(bundled_templates()) == {"banking_support", "small_talk", "smart_home", "travel"}


def test_the_documentation_counts_the_shipped_sets_right() -> None:
    page = (Path(__file__).parents[3] / "docs" / "templates.md").read_text("utf-8")
    for name in bundled_templates():
        intents = load_templates(name).intents
        number = sum(len(intent.templates) for intent in intents.values())
        assert f"| `{name}` | {len(intents)} | {number} |" in page
