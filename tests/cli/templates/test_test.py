import json
from pathlib import Path
from typing import Any

import pytest

from pocketintent.cli.main import main

BOT = {"lights_on": ["turn on the lights", "lamp on"], "music": ["play music", "play jazz"]}
LABELLED = "text,intent\nlights on,lights_on\nhear a song,music\nplay the lamp,music\npizza,\n"


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    path = tmp_path / "bot.json"
    path.write_text(json.dumps(BOT))
    return path


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    path = tmp_path / "labelled.csv"
    path.write_text(LABELLED)
    return path


def _test(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, Any, str]:
    status = main(["templates", "test", *map(str, arguments)])
    captured = capsys.readouterr()
    return status, json.loads(captured.out) if captured.out else None, captured.err


def test_the_report_goes_to_stdout_and_its_text_to_stderr(
    bot: Path, labelled: Path, tiny_model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, report, text = _test(capsys, bot, labelled, "--model", tiny_model)
    assert status == 0
    assert (report["templates"], report["utterances"]) == (str(bot), str(labelled))
    assert report["model"] == str(tiny_model)
    assert (report["num_in_scope"], report["num_out_of_scope"]) == (3, 1)
    assert report["decision"] == "logistic"
    assert "confusion matrix" in text
    assert "warning: the choice of a threshold and a margin needs 20 utterances" in text


def test_json_leaves_stderr_empty(
    bot: Path, labelled: Path, tiny_model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = (bot, labelled, "--model", tiny_model, "--decision", "nearest")
    _, expected, _ = _test(capsys, *arguments)
    assert _test(capsys, *arguments, "--json") == (0, expected, "")
    assert expected["decision"] == "nearest"


def test_an_accuracy_below_the_least_gives_status_1_after_the_report(
    bot: Path, labelled: Path, tiny_model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = (bot, labelled, "--model", tiny_model, "--json", "--min-accuracy")
    _, report, _ = _test(capsys, *arguments, "0")
    accuracy = report["accuracy"]
    assert 0 < accuracy < 1
    assert _test(capsys, *arguments, repr(accuracy)) == (0, report, "")
    status, after, text = _test(capsys, *arguments, "1")
    assert (status, after) == (1, report)
    assert text == f"--min-accuracy: the accuracy is {accuracy:.4f}, below 1\n"


def test_without_an_utterance_of_an_intent_no_accuracy_is_enough(
    bot: Path, labelled: Path, tiny_model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    labelled.write_text("pizza,\n")
    status, report, text = _test(
        capsys, bot, labelled, "--model", tiny_model, "--json", "--min-accuracy", "0"
    )
    assert (status, report["accuracy"]) == (1, None)
    assert text == "--min-accuracy: no utterance has an intent, so there is no accuracy\n"


def test_the_matrix_is_drawn_into_the_named_file(
    bot: Path,
    labelled: Path,
    tiny_model: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("matplotlib")
    picture = tmp_path / "matrix.png"
    status, _, text = _test(capsys, bot, labelled, "--model", tiny_model, "--plot", picture)
    assert status == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert f"plot: {picture}" in text


def test_other_limits_can_be_tried(
    bot: Path, labelled: Path, tiny_model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    limits = ("--threshold", "0.25", "--margin", "2")
    _, report, text = _test(capsys, bot, labelled, "--model", tiny_model, *limits)
    assert report is not None and (report["threshold"], report["margin"]) == (0.25, 2)
    assert report["accuracy"] == 0 and "threshold 0.25, margin 2" in text


def test_an_unknown_intent_is_an_error_with_file_line_and_the_nearest_name(
    bot: Path, labelled: Path, tiny_model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    labelled.write_text("lights on,light_on\n")
    status, report, text = _test(capsys, bot, labelled, "--model", tiny_model)
    assert (status, report) == (1, None)
    assert f"{labelled}, line 1: {bot} has no intent 'light_on'" in text
    assert "the nearest name is 'lights_on'" in text


def test_the_example_of_the_docs_is_a_test_of_a_shipped_set(
    capsys: pytest.CaptureFixture[str],
) -> None:
    example = Path(__file__).resolve().parents[3] / "docs/examples/smart_home_utterances.csv"
    status, report, _ = _test(capsys, "smart_home", example, "--json", "--min-accuracy", "0.5")
    assert status == 0
    assert (report["num_in_scope"], report["num_out_of_scope"]) == (39, 11)
    assert report["warnings"] == []
    assert report["model"] == "default"
