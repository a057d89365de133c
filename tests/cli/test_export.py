import json
from collections.abc import Callable
from pathlib import Path

import pytest

from pocketintent.cli.main import main


def test_the_report_names_sizes_and_differences(
    compressed_model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    templates = tmp_path / "templates.json"
    templates.write_text('{"greet": ["hello"], "odd": ["..."], "food": ["order a pizza"]}')
    out = tmp_path / "out"

    argv = ["export", "--model", str(compressed_model), "--templates", str(templates)]
    assert main([*argv, "--format", "onnx", "--scoring", "table", "--out", str(out)]) == 0

    captured = capsys.readouterr()
    report = json.loads(captured.out)
    assert report["bytes"] == {path.name: path.stat().st_size for path in out.iterdir()}
    assert report["proof"]["intents_differing"] == 0
    assert (report["intents"], report["templates"], report["left_out"]) == (2, 2, ["..."])
    assert "converting" in captured.err and "1 templates have no word" in captured.err


def test_a_folder_that_is_not_empty_is_bad_input(
    compressed_model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ["export", "--model", str(compressed_model), "--templates", "smart_home"]
    assert main([*argv, "--format", "onnx", "--out", str(compressed_model.parent)]) == 1
    assert "not empty" in capsys.readouterr().err


def test_an_unknown_format_is_a_bad_call(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["export", "--templates", "smart_home", "--format", "coreml", "--out", "x"])
    assert caught.value.code == 2
    assert "coreml" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--max-length", "--max-chars"])
def test_a_length_of_tflite_graphs_is_a_bad_call_with_onnx(
    option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ["export", "--templates", "smart_home", "--format", "onnx", "--out", "x"]
    with pytest.raises(SystemExit) as caught:
        main([*argv, option, "5"])
    assert caught.value.code == 2
    assert "--max-length and --max-chars require --format tflite" in capsys.readouterr().err


def test_more_slots_than_a_text_has_are_a_bad_call(capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["export", "--templates", "smart_home", "--format", "tflite", "--out", "x"]
    with pytest.raises(SystemExit) as caught:
        main([*argv, "--max-length", "100000000"])
    assert caught.value.code == 2
    assert "must be at least 1 and at most 4096" in capsys.readouterr().err


def test_match_runs_an_exported_folder(
    exported: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ["match", "--model", str(exported("onnx")), "--backend", "onnxruntime"]
    assert main([*argv, "turn on the lights"]) == 0
    assert json.loads(capsys.readouterr().out)["intent"] == "lights_on"


def test_match_without_templates_is_a_bad_call(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["match", "hello"])
    assert caught.value.code == 2
    assert "--templates is required" in capsys.readouterr().err
