import json
from pathlib import Path
from typing import Any

import pytest

from pocketintent import IntentRecognizer, load_encoder
from pocketintent.cli.main import main

TEMPLATES = {
    "none": ["order a pizza"],
    "intents": {
        "on": {"templates": ["lamp on", "xyzzy"], "except": ["turn off the radio"]},
        "off": {"templates": ["lamp off", "lights off please"]},
    },
}
TEXTS = ("the lamp on", "lights off", "order a pizza", "play jazz")


@pytest.fixture
def templates(tmp_path: Path) -> Path:
    path = tmp_path / "bot.json"
    path.write_text(json.dumps(TEMPLATES))
    return path


@pytest.fixture
def build(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Any:
    def run(*args: object, out: str = "bot.safetensors", status: int = 0) -> Any:
        path = tmp_path / out
        assert main(["build", *map(str, args), "--out", str(path)]) == status
        captured = capsys.readouterr()
        return captured.err if status else (path, json.loads(captured.out))

    return run


def test_the_report_has_the_parts_of_the_file(
    build: Any, templates: Path, compressed_model: Path
) -> None:
    path, report = build(templates, "--model", compressed_model)

    num_words = len(load_encoder(compressed_model).vocabulary)  # type: ignore[attr-defined]
    assert report["out"] == str(path)
    assert (report["decision"], report["search"]) == ("logistic", "table")
    assert (report["intents"], report["templates"]) == (2, 4)
    assert report["unknown"] == 0  # the n-grams know any word
    assert report["words"] == {"before": num_words, "after": num_words}
    sizes = report["bytes"]
    assert sizes["file"] == path.stat().st_size
    assert sum(sizes.values()) == 2 * sizes["file"]
    assert sizes["bot"] > 2 * (32 + 512 + 1) * 4
    assert report["seconds"] >= 0


def test_what_check_would_warn_about_is_a_warning_of_the_build(
    tmp_path: Path, tiny_model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "empty.json"
    path.write_text("{}")
    out = tmp_path / "bot.safetensors"
    assert main(["build", str(path), "--model", str(tiny_model), "--out", str(out)]) == 0
    assert f"{path}: warning: the set has no intents" in capsys.readouterr().err


def test_the_file_answers_as_the_templates_and_the_model(
    build: Any, templates: Path, tiny_model: Path
) -> None:
    for options in (["--decision", "nearest", "--search", "exact"], []):
        path, report = build(templates, "--model", tiny_model, *options)
        built = IntentRecognizer.load(
            templates, tiny_model, decision=report["decision"], search=report["search"]
        )
        loaded = IntentRecognizer.load(path)
        assert [*map(loaded.match, TEXTS)] == [*map(built.match, TEXTS)]
        assert report["unknown"] == 1


def test_the_limits_of_the_command_line_are_those_of_the_bot(build: Any, templates: Path) -> None:
    path, _ = build(templates, "--threshold", "0.35", "--margin", "0.1")
    loaded = IntentRecognizer.load(path)
    assert (loaded.threshold, loaded.margin) == (0.35, 0.1)


def test_fewer_words_keep_those_of_the_bot(build: Any, templates: Path, tiny_model: Path) -> None:
    words = load_encoder(tiny_model).vocabulary.words  # type: ignore[attr-defined]
    path, report = build(templates, "--model", tiny_model, "--max-words", 2)

    kept = load_encoder(path).vocabulary.words  # type: ignore[attr-defined]
    of_bot = (
        "lamp",
        "on",
        "turn",
        "off",
        "the",
        "radio",
        "order",
        "a",
        "pizza",
        "lights",
        "please",
    )
    assert set(kept) == {*words[:2], *of_bot} & set(words)
    assert kept == [word for word in words if word in set(kept)]
    assert report["words"] == {"before": len(words), "after": len(kept)}
    whole = IntentRecognizer.load(templates, tiny_model)
    known = ("lamp on", "lights off please")
    small = IntentRecognizer.load(path)
    assert [*map(small.match, known)] == [*map(whole.match, known)]


def test_a_bot_file_is_built_again_with_fewer_words_and_its_own_settings(
    build: Any, templates: Path, tiny_model: Path
) -> None:
    first, _ = build(templates, "--model", tiny_model, "--decision", "nearest")
    path, report = build(first, "--max-words", 1, out="small.safetensors")

    assert report["decision"] == "nearest"
    assert report["words"]["after"] < report["words"]["before"]
    assert path.stat().st_size < first.stat().st_size
    loaded, built = IntentRecognizer.load(path), IntentRecognizer.load(first)
    assert loaded.match("lamp on") == built.match("lamp on")


def test_a_teacher_adapts_the_model_to_the_texts_of_the_bot(
    build: Any, templates: Path, tmp_path: Path
) -> None:
    pytest.importorskip("torch")
    log = tmp_path / "log.txt"
    log.write_text("is the lamp on\nlamp on\n")
    path, report = build(
        templates, "--model", "tiny", "--teacher", "fast", "--texts", log, "--max-words", 3
    )
    # Four templates, a counter-example, a text of no intent, two names, and a line that is new.
    assert report["adapted"] == 9
    assert report["decision"] == "logistic"
    assert report["words"]["after"] < report["words"]["before"]
    adapted, plain = IntentRecognizer.load(path), IntentRecognizer.load(templates, "tiny")
    vectors = [recognizer.encoder.encode("the lamp on") for recognizer in (adapted, plain)]
    assert vectors[0] @ vectors[1] < 0.9999
    assert adapted.match("the lamp on").nearest == "on"


def test_a_bot_file_is_adapted_with_its_own_settings(build: Any, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    odd = tmp_path / "odd.json"
    odd.write_text(json.dumps({"on": ["lamp\0on", "lights on"], "?": ["\ud83d\ude00 off"]}))
    first, _ = build(odd, "--model", "tiny", "--decision", "nearest")
    path, report = build(first, "--teacher", "fast", out="adapted.safetensors")

    assert report["decision"] == "nearest"
    assert report["adapted"] == 4  # three templates, and a name
    adapted, plain = IntentRecognizer.load(path), IntentRecognizer.load(first)
    assert adapted.templates.to_dict() == plain.templates.to_dict()
    assert adapted.match("lights on").score == pytest.approx(1, abs=0.01)
    assert adapted.encoder.encode("lights on") @ plain.encoder.encode("lights on") < 0.9999


def test_what_cannot_be_adapted_is_refused(
    build: Any, templates: Path, tiny_model: Path, tmp_path: Path
) -> None:
    pytest.importorskip("torch")
    options = ("--model", "tiny", "--teacher", "fast", "--texts", templates)
    assert "--teacher" not in (error := build(templates, *options, status=1))
    assert "bot.json: a .json file is not a corpus" in error
    error = build(templates, "--model", tiny_model, "--teacher", "fast", status=1)
    assert "--teacher: a model of kind static cannot be adapted" in error
    error = build(templates, "--teacher", "tiny", status=1)
    assert "--teacher: the teacher's vectors have 128 dimensions, and the model 384" in error
    assert not (tmp_path / "bot.safetensors").exists()


def test_what_cannot_be_built_is_refused(
    build: Any, templates: Path, tiny_model: Path, character_models: dict[str, Path], tmp_path: Path
) -> None:
    bot, _ = build(templates, "--model", tiny_model)

    error = build(bot, "--model", tiny_model, out="x.safetensors", status=1)
    assert "which contains its model" in error
    model = character_models["text"]
    error = build(templates, "--model", model, "--max-words", 3, out="x.safetensors", status=1)
    assert "--max-words: the words of a model of kind 'charemb'" in error
    assert not (tmp_path / "x.safetensors").exists()


@pytest.mark.parametrize("command", ["match", "check", "test"])
def test_commands_take_a_bot_file(
    build: Any,
    templates: Path,
    tiny_model: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    command: str,
) -> None:
    bot, _ = build(templates, "--model", tiny_model)
    utterances = tmp_path / "utterances.csv"
    utterances.write_text("text,intent\nthe lamp on,on\nlamp off please,off\n")
    calls = {
        "match": ["match", "--templates", bot, "the lamp on"],
        "check": ["templates", "check", bot],
        "test": ["templates", "test", bot, utterances, "--json"],
    }

    assert main([*map(str, calls[command])]) == 0
    line = json.loads(capsys.readouterr().out)
    expected = {"match": ("intent", "on"), "check": ("errors", []), "test": ("model", str(bot))}
    key, value = expected[command]
    assert line[key] == value


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--out", "bot.json"], "--out bot.json: the name of a bot file ends in .safetensors"),
        (["--out", "b.safetensors", "--texts", "README.md"], "--texts requires --teacher"),
    ],
)
def test_options_that_do_not_fit_are_bad_usage(
    templates: Path,
    options: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(templates.parent)
    (templates.parent / "README.md").touch()
    with pytest.raises(SystemExit, match="2"):
        main(["build", str(templates), *options])
    assert capsys.readouterr().err.endswith(f"pocketintent build: error: {message}\n")


def test_a_damaged_bot_file_is_an_error_of_the_check(
    tiny_model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["templates", "check", str(tiny_model)]) == 1
    assert "a model without templates" in json.loads(capsys.readouterr().out)["errors"][0]
