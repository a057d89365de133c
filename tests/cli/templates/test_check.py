import argparse
import json
from pathlib import Path

import pytest

from pocketintent import IntentRecognizer
from pocketintent.cli.main import main
from pocketintent.cli.templates.check import run
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.files.model_file import save_model
from pocketintent.runtime.templates.template_set import parse_templates


def _check(capsys: pytest.CaptureFixture[str], *files: object) -> tuple[int, list[dict], str]:
    status = main(["templates", "check", *map(str, files)])
    captured = capsys.readouterr()
    return status, [json.loads(line) for line in captured.out.splitlines()], captured.err


def test_a_good_file_gives_its_counts_and_status_0(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bot.json"
    path.write_text('{"a": ["x", "y"], "b": ["z", "w", "v"]}')
    status, reports, words = _check(capsys, path)
    left_out = reports[0].pop("left_out")
    expected = {"file": str(path), "intents": 2, "templates": 5, "errors": [], "warnings": []}
    assert (status, reports, words) == (0, [expected], "")
    assert [(row["intent"], row["templates"]) for row in left_out] == [("a", 2), ("b", 3)]


def test_a_name_that_is_not_utf8_is_refused() -> None:
    with pytest.raises(OSError, match="the name is not UTF-8"):
        run(argparse.Namespace(files=["none\udcff.json"], model=None))


def test_all_errors_of_all_files_are_reported_with_status_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad, worse = tmp_path / "bad.json", tmp_path / "worse.json"
    bad.write_text('{"a": ["", 3], "b": []}')
    worse.write_text("{")
    status, reports, words = _check(capsys, bad, worse, "smart_home", tmp_path / "none.json")
    assert status == 1
    assert [len(report["errors"]) for report in reports] == [3, 1, 0, 1]
    assert reports[0]["intents"] is None
    assert reports[1]["errors"][0].startswith("not JSON at line 1")
    assert reports[2]["intents"] == 18
    assert f"{bad}: error: intent 'a', template 2 is a number" in words


@pytest.mark.parametrize("content", ["{}", '{"intents": {}}', '{"$schema": "s.json"}'])
def test_a_file_without_an_intent_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str
) -> None:
    path = tmp_path / "bot.json"
    path.write_text(content)
    status, reports, words = _check(capsys, path)
    assert status == 1
    assert [error.split(";")[0] for error in reports[0]["errors"]] == ["there is nothing to match"]
    assert reports[0]["intents"] is None
    assert f"{path}: error: there is nothing to match" in words


def test_warnings_leave_status_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bot.json"
    path.write_text('{"a": ["x"]}')
    status, reports, words = _check(capsys, path)
    assert status == 0
    assert len(reports[0]["warnings"]) == 1
    assert "has one template" in reports[0]["warnings"][0]
    assert f"{path}: warning: " in words


def test_a_language_that_the_model_does_not_speak_is_a_warning(
    tiny_encoder: StaticEncoder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bot, model = tmp_path / "bot.json", tmp_path / "model.safetensors"
    intents = {name: {"templates": [f"licht {name}", name]} for name in ("an", "aus")}
    bot.write_text(json.dumps({"language": "de", "intents": intents}))
    manifest, tensors = tiny_encoder.to_model_file_parts()
    save_model(model, manifest | {"languages": ["en"]}, tensors)
    status, reports, words = _check(capsys, bot, "smart_home", "--model", model)
    assert status == 0
    assert [len(report["warnings"]) for report in reports] == [1, 1]
    assert reports[1]["warnings"][0].startswith("the model knows")
    assert f"{bot}: warning: the set's language is 'de', but the model speaks en" in words
    assert _check(capsys, bot)[1][0]["warnings"] == reports[0]["warnings"]  # by the default model


def test_a_bot_file_is_compared_with_its_own_model(
    tiny_encoder: StaticEncoder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bot.safetensors"
    templates = {"an": ["light an", "lamp an"], "aus": ["light aus", "lamp aus"]}
    german = parse_templates(
        {"language": "de", "intents": {n: {"templates": t} for n, t in templates.items()}}
    )
    IntentRecognizer(tiny_encoder, german).save(path)
    assert _check(capsys, path)[1][0]["warnings"] == []


def test_templates_of_words_that_the_model_does_not_know_are_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bot = tmp_path / "bot.json"
    words = "ausdruck bibliothek drucker gestohlen geöffnet kopieren montags sonntags weglaufen"
    bot.write_text(json.dumps({"a": words.split(), "b": ["turn on the lights", "light on"]}))
    (warning,) = _check(capsys, bot)[1][0]["warnings"]
    assert warning.startswith("the model knows 5 of the 14 different words of the templates")
    assert "'ausdruck', 'bibliothek', 'drucker'" in warning


def test_json_leaves_out_the_text_for_people(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bot = tmp_path / "bot.json"
    bot.write_text('{"intents": ["turn on the light"]}')
    status, reports, words = _check(capsys, bot, "--json")
    assert (status, words) == (0, "")
    assert any("if you mean the key" in warning for warning in reports[0]["warnings"])


def test_a_model_that_is_missing_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, reports, words = _check(capsys, "smart_home", "--model", tmp_path / "none")
    assert (status, reports) == (1, [])
    assert f"{tmp_path / 'none'}: there is no such model file" in words


def test_a_call_without_files_or_action_is_refused_with_status_2() -> None:
    for call in (["templates"], ["templates", "check"]):
        with pytest.raises(SystemExit) as caught:
            main(call)
        assert caught.value.code == 2


def test_a_bot_that_will_refuse_most_is_warned_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bot.json"
    path.write_text(
        '{"threshold": 0.95, "intents": {"delivery": {"templates": ["when will it arrive", '
        '"nobody was at home", "is the van blue"]}, "refund": {"templates": '
        '["give me my money back", "the zip is broken", "i want to talk to the boss"]}}}'
    )
    _, reports, words = _check(capsys, path)
    lost = {row["intent"]: row["refused"] + row["confused"] for row in reports[0]["left_out"]}
    assert sum(lost.values()) >= 4
    assert "of 6 templates would be refused" in words and "'delivery' (" in words


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("bot.csv", "text,intent\nturn it on,lights_on\n", "CSV"),
        ("bot.yml", "version: '3.1'\nnlu:\n- intent: greet\n", "YAML"),
        ("bot.json", "lights_on:\n  - turn it on\n", "YAML"),
        ("bot.json", "turn it on;lights_on\n", "CSV"),
    ],
)
def test_a_file_of_another_tool_is_named_and_the_form_to_write(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, content: str, kind: str
) -> None:
    path = tmp_path / name
    path.write_text(content)
    status, reports, _ = _check(capsys, path)
    assert status == 1
    (error,) = reports[0]["errors"]
    assert f"looks like {kind}" in error and '{"lights_on": ["turn on the lights"' in error
