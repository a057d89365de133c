from pathlib import Path

import pytest

from pocketintent import IntentRecognizer, ModelFileError, PocketIntentError
from pocketintent.runtime.templates.bot_file import choose_model, find_bot_file
from pocketintent.runtime.templates.files import load_templates
from pocketintent.runtime.templates.template_set import TemplateSet

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
