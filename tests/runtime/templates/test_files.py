import json
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from pocketintent import IntentRecognizer, ModelFileError, PocketIntentError
from pocketintent.runtime.errors import TemplateError
from pocketintent.runtime.templates.files import (
    bundled_templates,
    choose_model,
    find_bot_file,
    load_templates,
    save_templates,
)
from pocketintent.runtime.templates.forms import is_blank
from pocketintent.runtime.templates.template_set import (
    IntentTemplates,
    TemplateSet,
    parse_templates,
)

SCHEMA_FILE = bundled_templates()["smart_home"].with_name("templates.schema.json")
SCHEMA = Draft202012Validator(json.loads(SCHEMA_FILE.read_text("utf-8")))

texts = st.text(min_size=1).filter(lambda text: not is_blank(text))
names = texts.filter(lambda name: name not in ("intents",))
template_sets = st.builds(
    TemplateSet,
    st.dictionaries(
        names,
        st.builds(
            IntentTemplates,
            st.lists(texts, min_size=1, max_size=4),
            st.none() | st.floats(-1, 1),
            st.lists(texts, max_size=3),
        ),
        max_size=4,
    ),
    language=st.none() | st.sampled_from(["en", "de-CH"]),
    threshold=st.floats(-1, 1),
    margin=st.floats(0, 2),
    schema=st.none() | st.just("templates.schema.json"),
    none=st.lists(texts, max_size=3),
    background=st.lists(texts, max_size=3),
)


def _write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", ["is empty; write"]),
        ('{"a": ["x"],}', ["not JSON", "line 1, column 1", "none after the last"]),
        ("{'a': ['x']}", ["not JSON", "double quotes"]),
        ('{\n"a": ["x"\n', ["not JSON", "line 3"]),
        ('{"intents": {}, "threshold": NaN}', ["not JSON", "column 30"]),
        (b'{"a":\n["caf\xe9"]}', ["line 2", "UTF-8"]),
        ('{"a": ["\\ud800"]}', ["not JSON"]),
        ('{"a": ["x"], "a": ["y"]}', ["'a'", "twice", "merge"]),
        ('{"intents": {"a": {"templates": ["x"], "templates": ["y"]}}}', ["'templates'", "twice"]),
        ("[" * 100_000, ["not JSON", "nested too deep at line 1, column 17"]),
        ('{"a":\n ' + "[" * 1000 + "]" * 1000 + "}", ["nested too deep at line 2, column 17"]),
        ('{"a": "\\"[[[", "b": ' + '{"a":' * 1100, ["line 1, column 96"]),
        ('{"threshold": ' + "1" * 300 + ', "intents": {}}', ["'threshold'"]),
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


def test_a_long_value_is_shortened_in_the_message(tmp_path: Path) -> None:
    number, text = "1" * 300, "x" * 10**6
    for content in (
        f'{{"threshold": {number}, "intents": {{}}}}',
        f'{{"intents": {{}}, "{text}": 1}}',
        f'{{"intents": {{"{text}": 1}}}}',
        f'{{"a": ["x"], "{text}": 1, "{text}": 2}}',
        f'{{"a": [{{"{text}": 1}}]}}',
    ):
        path = _write(tmp_path / "bot.json", content)
        with pytest.raises(TemplateError) as caught:
            load_templates(path)
        assert "..." in str(caught.value)
        assert len(str(caught.value)) < len(str(path)) + 300


def test_a_byte_order_mark_is_read_over(tmp_path: Path) -> None:
    path = _write(tmp_path / "bot.json", b'\xef\xbb\xbf{"a": ["x"]}')
    assert load_templates(path) == parse_templates({"a": ["x"]})


def test_a_missing_file_error_lists_the_shipped_sets(tmp_path: Path) -> None:
    with pytest.raises(TemplateError, match=r"nothing\.json.*smart_home"):
        load_templates(tmp_path / "nothing.json")
    with pytest.raises(TemplateError, match="no such file"):
        load_templates("")
    with pytest.raises(TemplateError, match=r"must be a path, .* or a TemplateSet, not list"):
        load_templates(["turn on the lights"])  # type: ignore[arg-type]
    with pytest.raises(TemplateError, match=r"; did you mean smart_home\? shipped: "):
        load_templates("smarthome")
    (tmp_path / "library.json").write_text('{"a": ["b"]}')
    with pytest.raises(TemplateError, match=rf"; did you mean {tmp_path}/library\.json\? shipped"):
        load_templates(tmp_path / "libary.json")


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


@given(template_sets)
def test_the_long_form_of_a_set_parses_to_an_equal_set(template_set: TemplateSet) -> None:
    form = template_set.to_dict()
    parsed = parse_templates(form)
    assert parsed == template_set
    assert list(parsed.intents) == list(template_set.intents)
    assert parsed.to_dict() == form
    lists = [intent["except"] for intent in form["intents"].values() if "except" in intent]
    assert all([*lists, *(form[key] for key in ("none", "background") if key in form)])


def test_empty_lists_are_not_saved(tmp_path: Path) -> None:
    entry = {"templates": ["x"], "except": []}
    full = parse_templates({"intents": {"a": entry}, "none": [], "background": []})
    save_templates(full, tmp_path / "full.json")
    save_templates(parse_templates({"a": ["x"]}), tmp_path / "short.json")
    assert (tmp_path / "full.json").read_bytes() == (tmp_path / "short.json").read_bytes()


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


def test_the_schema_is_a_schema_and_not_a_set() -> None:
    Draft202012Validator.check_schema(SCHEMA.schema)
    assert set(bundled_templates()) == {"banking_support", "small_talk", "smart_home", "travel"}


def test_the_documentation_counts_the_shipped_sets_right() -> None:
    page = (Path(__file__).parents[3] / "docs" / "templates.md").read_text("utf-8")
    for name in bundled_templates():
        template_set = load_templates(name)
        intents = template_set.intents.values()
        templates = sum(len(intent.templates) for intent in intents)
        counter_examples = sum(len(intent.counter_examples) for intent in intents)
        counts = f"{len(intents)} | {templates} | {counter_examples} | {len(template_set.none)}"
        assert f"| `{name}` | {counts} |" in page


TEMPLATES = {
    "language": "en",
    "none": ["order a pizza"],
    "intents": {
        "on": {"templates": ["lamp on", "xyzzy"], "except": ["lamp off"], "threshold": 0.2},
        "off": {"templates": ["lamp off \U0001f642"]},
    },
}


@pytest.fixture
def bot(tmp_path: Path, tiny_model: Path) -> Path:
    path = tmp_path / "bot.safetensors"
    IntentRecognizer.load(TEMPLATES, tiny_model).save(path)
    return path


def test_the_templates_of_a_bot_file_are_those_that_were_saved(bot: Path) -> None:
    assert load_templates(bot) == load_templates(TEMPLATES)
    assert load_templates(str(bot)) == load_templates(TEMPLATES)


def test_a_bot_file_is_told_from_other_sources(bot: Path, tmp_path: Path) -> None:
    json_file, folder = tmp_path / "set.json", tmp_path / "folder"
    json_file.write_text('{"on": ["lamp on"]}')
    folder.mkdir()

    assert find_bot_file(bot) == find_bot_file(str(bot)) == bot
    others = (json_file, folder, tmp_path / "missing", "smart_home", "", "a\0b", TEMPLATES, None)
    assert [find_bot_file(source) for source in (*others, TemplateSet())] == [None] * 9


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_a_json_text_in_no_encoding_is_taken_for_a_bot_file(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "set.json"
    path.write_text('{"on": ["lamp on"]}', encoding=encoding)

    assert find_bot_file(path) is None


def test_a_bot_file_brings_its_model_and_allows_no_other(bot: Path) -> None:
    assert choose_model(bot, None) == bot
    assert choose_model("smart_home", "tiny") == "tiny"
    assert choose_model("smart_home", None) is None
    with pytest.raises(PocketIntentError, match="is given as a bot file, which contains its model"):
        choose_model(bot, "tiny")


def test_a_model_without_templates_is_refused(tiny_model: Path) -> None:
    with pytest.raises(ModelFileError, match="is a model without templates"):
        load_templates(tiny_model)
