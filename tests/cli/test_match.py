import io
import json
from pathlib import Path
from typing import Any

import pytest

from pocketintent import IntentRecognizer
from pocketintent.cli.main import main
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.files.model_file import save_model

KEYS = ["text", "intent", "score", "template", "nearest", "runner_up", "margin", "reason"]


@pytest.fixture
def templates(tmp_path: Path) -> Path:
    path = tmp_path / "templates.json"
    path.write_text('{"lights_on": ["lamp on"], "lights_off": ["lamp off"], "greet": ["hello"]}')
    return path


@pytest.fixture
def run(
    templates: Path,
    tiny_model: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Any:
    def run_match(*args: str, stdin: bytes = b"") -> list[dict[str, Any]]:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        argv = ["match", "--templates", str(templates), "--model", str(tiny_model), *args]
        assert main(argv) == 0
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    return run_match


def test_each_text_of_the_call_gets_one_json_line(run: Any) -> None:
    lines = run("the lamp on", "hello")

    assert [line["text"] for line in lines] == ["the lamp on", "hello"]
    assert [line["intent"] for line in lines] == ["lights_on", "greet"]
    assert all(list(line) == KEYS for line in lines)


def test_a_line_has_the_match(run: Any, templates: Path, tiny_model: Path) -> None:
    match = IntentRecognizer.load(templates, tiny_model).match("lamp on")

    line = run("lamp on")[0]

    assert line["score"] == match.score
    assert line["template"] == match.template
    assert match.runner_up is not None
    assert line["runner_up"]["intent"] == match.runner_up.intent
    assert line["margin"] == match.margin
    assert line["reason"] is None


def test_a_line_is_the_text_and_to_dict_of_the_match(
    run: Any, templates: Path, tiny_model: Path
) -> None:
    recognizer = IntentRecognizer.load(templates, tiny_model)
    for line in run("lamp on", "zzz", ""):
        assert line == {"text": line["text"], **recognizer.match(line["text"]).to_dict()}


def test_without_texts_the_lines_of_stdin_are_matched_one_for_one(run: Any) -> None:
    stdin = "lamp on\r\n\nhello\n\N{GRINNING FACE}\nlamp off".encode()

    lines = run(stdin=stdin)

    assert [line["text"] for line in lines] == [
        "lamp on",
        "",
        "hello",
        "\N{GRINNING FACE}",
        "lamp off",
    ]
    assert [line["intent"] for line in lines] == ["lights_on", None, "greet", None, "lights_off"]
    assert lines[1]["reason"] == "unknown_words"


def test_threshold_and_margin_take_the_place_of_those_of_the_templates(run: Any) -> None:
    assert run("lamp on")[0]["intent"] == "lights_on"
    assert run("--threshold", "1", "lamp on")[0]["reason"] == "below_threshold"
    assert run("--margin", "2", "lamp on")[0]["reason"] == "ambiguous"


def test_an_empty_stdin_gives_no_line(run: Any) -> None:
    assert run() == []


def test_bytes_that_are_not_utf8_are_replaced_and_the_line_is_matched(run: Any) -> None:
    lines = run(stdin=b"\xff lamp on\nhello\n")

    assert [line["text"] for line in lines] == ["\ufffd lamp on", "hello"]
    assert lines[0]["intent"] == "lights_on"


def test_an_argument_that_is_not_utf8_is_matched_too(run: Any) -> None:
    assert run("lamp on \udcff")[0]["text"] == "lamp on ?"


@pytest.mark.parametrize("decision", ["logistic", "nearest", "nearest+centroid"])
def test_the_decision_is_passed_on(run: Any, decision: str) -> None:
    line = run("--decision", decision, "lamp off")[0]

    assert line["intent"] == "lights_off"


def test_rank_adds_the_best_intents(run: Any) -> None:
    line = run("--rank", "2", "lamp on")[0]

    assert list(line) == [*KEYS, "ranking"]
    assert [c["intent"] for c in line["ranking"]] == ["lights_on", line["runner_up"]["intent"]]


def test_a_single_intent_has_no_runner_up(run: Any, templates: Path) -> None:
    templates.write_text('{"only": ["lamp on"]}')

    line = run("lamp on")[0]

    assert line["runner_up"] is None
    assert line["margin"] is None


@pytest.mark.parametrize(
    ("option", "words"),
    [("--templates", "name the template file"), ("--model", "opened with a backend")],
)
def test_a_folder_ends_with_status_1_and_an_explanation(
    option: str,
    words: str,
    templates: Path,
    tiny_model: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    files = {"--templates": str(templates), "--model": str(tiny_model), option: str(tmp_path)}

    assert main(["match", *(part for pair in files.items() for part in pair), "hi"]) == 1
    err = capsys.readouterr().err
    assert err.startswith(f"pocketintent: {tmp_path} is a folder")
    assert words in err


@pytest.mark.parametrize("option", ["--templates", "--model"])
def test_a_missing_file_ends_with_status_1_and_its_name(
    option: str, templates: Path, tiny_model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {"--templates": str(templates), "--model": str(tiny_model), option: "nowhere.bin"}
    argv = [part for pair in files.items() for part in pair]

    assert main(["match", *argv, "hi"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("pocketintent: nowhere.bin: ")


def test_a_warning_is_a_line_without_a_place_in_the_code(
    tiny_encoder: StaticEncoder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    templates, model = tmp_path / "bot.json", tmp_path / "model.safetensors"
    templates.write_text('{"language": "de", "intents": {"an": {"templates": ["licht an"]}}}')
    manifest, tensors = tiny_encoder.to_model_file_parts()
    save_model(model, manifest | {"languages": ["en"]}, tensors)
    assert main(["match", "--templates", str(templates), "--model", str(model), "x", "y"]) == 0
    printed = capsys.readouterr()
    assert printed.out.count("\n") == 2
    assert printed.err.startswith("pocketintent: warning: the set's language is 'de'")
    assert printed.err.count("\n") == 1


def test_a_typing_error_is_corrected_unless_it_is_turned_off(run: Any) -> None:
    clean, corrected = run("the lamp off", "the lmap off")
    plain = run("the lmap off", "--no-correction")[0]

    assert corrected["text"] == "the lmap off"
    assert corrected["score"] == clean["score"]
    assert plain["score"] != clean["score"]
