import json
from pathlib import Path
from typing import Any

import pytest

from pocketintent.cli.main import build_parser, main
from pocketintent.runtime.errors import PocketIntentError


def call(*words: Any) -> int:
    args = build_parser().parse_args(["evaluate", "intents", "--calibration", *map(str, words)])
    status: int = args.run(args)
    return status


def test_each_folder_is_a_line_and_a_panel(
    tiny_model: Path, intent_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    plot = tmp_path / "reliability.png"
    options = ["--shots", "1,2", "--runs", 2, "--model", tiny_model, "--plot", plot]
    assert call(intent_dir, intent_dir, *options) == 0
    captured = capsys.readouterr()
    first, second = map(json.loads, captured.out.splitlines())
    assert first == second
    assert first["model"] == str(tiny_model)
    assert first["outside"] == str(intent_dir / "oos_test.jsonl")
    assert (first["split"], first["num_outside"], first["decision"]) == ("test", 1, "logistic")
    assert [row["shots"] for row in first["results"]] == [1, 2]
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert "4/4 draws" in captured.err


def test_other_out_of_scope_texts_and_thresholds_can_be_given(
    tiny_model: Path, intent_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outside = tmp_path / "outside.jsonl"
    outside.write_text('{"text": "order pizza"}\n{"text": "hungry eat"}\n')
    options = ["--outside", outside, "--shots", 2, "--runs", 1, "--model", tiny_model]
    call(intent_dir, "--split", "valid", "--threshold", 0, *options)
    report = json.loads(capsys.readouterr().out)
    assert (report["split"], report["outside"], report["num_outside"]) == ("valid", str(outside), 2)
    (row,) = report["results"]
    assert row["out_of_scope_accepted"]["mean"] == 1
    assert row["in_scope_refused"]["mean"] == 0


def test_a_folder_without_out_of_scope_texts_needs_a_file(
    tiny_model: Path, intent_dir: Path
) -> None:
    (intent_dir / "oos_test.jsonl").unlink()
    with pytest.raises(PocketIntentError, match=r"rooms has no oos_test\.jsonl; give .*--outside"):
        call(intent_dir, "--model", tiny_model)
    with pytest.raises(PocketIntentError, match=r"gone\.jsonl: cannot be read"):
        call(intent_dir, "--model", tiny_model, "--outside", "gone.jsonl")


@pytest.mark.parametrize("words", [["--threshold", "1.5"], ["--shots", "0"], ["--runs", "0"]])
def test_bad_options_are_a_bad_call(
    words: list[str], intent_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        call(intent_dir, *words)
    assert caught.value.code == 2
    capsys.readouterr()


def test_oos_prints_auroc_and_threshold(
    tiny_model: Path, intent_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--model", str(tiny_model), "--shots", "2", "--runs", "2"]
    assert main(["evaluate", "intents", str(intent_dir), "--oos", *options]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["model"] == str(tiny_model)
    assert report["results"][0]["auroc"]["mean"] == 1.0
    assert report["results"][0]["oos_recall"]["mean"] == 1.0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--outside", __file__], "--outside requires --calibration"),
        (["--threshold", "0.4"], "--threshold requires --calibration"),
        (["--oos", "--split", "valid"], "--split has no effect with --oos"),
        (["--oos", "--search", "table"], "--search has no effect with --oos"),
        (["--calibration", "--decision", "nearest"], "--decision has no effect with --calibration"),
        (["--calibration", "--oos"], "not allowed with argument"),
    ],
)
def test_options_of_another_measure_are_a_bad_call(
    words: list[str], message: str, intent_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["evaluate", "intents", str(intent_dir), *words])
    assert message in capsys.readouterr().err
