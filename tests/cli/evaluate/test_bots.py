import json
from pathlib import Path
from typing import Any

import pytest

from pocketintent.cli.main import main

BOT = {
    "intents": {
        "lights": {"templates": ["turn on the light"], "phrasings": ["lights on please"]},
        "music": {"templates": ["play music", "hear a song"], "phrasings": ["play jazz"]},
    },
    "foreign": {"other_subjects": ["order pizza"], "own_subject": ["switch off"]},
}


@pytest.fixture
def bot_dir(tmp_path: Path) -> Path:
    folder = tmp_path / "bots"
    folder.mkdir()
    (folder / "home.json").write_text(json.dumps(BOT))
    return folder


def call(*words: Any) -> int:
    return main(["evaluate", "bots", *map(str, words)])


def test_each_folder_is_a_line_and_a_panel(
    tiny_model: Path, bot_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    plot = tmp_path / "reliability.svg"
    options = ["--model", tiny_model, "--shots", "1,2", "--plot", plot]
    assert call(bot_dir, bot_dir, *options) == 0
    captured = capsys.readouterr()
    first, second = map(json.loads, captured.out.splitlines())
    assert first == second
    assert (first["dataset"], first["model"]) == ("bots", str(tiny_model))
    assert (first["num_bots"], first["num_phrasings"], first["threshold"]) == (1, 2, 0.5)
    assert [row["shots"] for row in first["results"]] == [1, 2]
    assert "1/1 bots (home)" in captured.err
    assert plot.read_text().count('id="axes_') == 4


def test_the_options_reach_the_recogniser(
    tiny_model: Path, bot_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--threshold", 0, "--margin", 0.01, "--no-names", "--model", tiny_model]
    assert call(bot_dir, *options) == 0
    report = json.loads(capsys.readouterr().out)
    given = (report["threshold"], report["margin"], report["learn_names"])
    assert given == (0.0, 0.01, False)


def test_a_teacher_gets_a_background(
    tiny_model: Path, bot_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = tmp_path / "chats.txt"
    corpus.write_text("order pizza please\nopen the gate\nfreezing cold\nbye thanks\n")
    assert call(bot_dir, "--model", tiny_model) == 0
    assert call(bot_dir, "--teacher", tiny_model, "--corpus", corpus) == 0
    of_model, of_teacher = map(json.loads, capsys.readouterr().out.splitlines())
    assert of_teacher["model"] == str(tiny_model)
    assert of_teacher["results"][0]["in_front"] == of_model["results"][0]["in_front"]
    assert of_teacher["results"][0]["bins"] != of_model["results"][0]["bins"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--corpus", __file__], "--corpus requires --teacher"),
        (["--teacher", __file__], "--teacher requires --corpus"),
        (["--max-tokens", "9"], "--max-tokens requires --teacher"),
        (["--threshold", "1.5"], "--threshold"),
        (["--shots", "0"], "--shots"),
    ],
)
def test_bad_options_are_a_bad_call(
    words: list[str], message: str, bot_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        call(bot_dir, *words)
    assert message in capsys.readouterr().err


def test_a_bad_bot_is_named_before_anything_is_measured(
    tiny_model: Path, bot_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = bot_dir.parent / "others"
    other.mkdir()
    assert call(bot_dir, other, "--model", tiny_model) == 1
    assert "others: there is no bot with phrasings" in capsys.readouterr().err
    (other / "lamp.json").write_text("{")
    assert call(bot_dir, other, "--model", tiny_model) == 1
    captured = capsys.readouterr()
    assert "lamp.json: not JSON" in captured.err and not captured.out
