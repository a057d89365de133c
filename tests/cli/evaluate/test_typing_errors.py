import json
from pathlib import Path
from typing import Any

import pytest

from pocketintent.cli.main import build_parser
from pocketintent.runtime.files.shipped_models import find_model


def call(*words: Any) -> int:
    args = build_parser().parse_args(["evaluate", "typing-errors", *map(str, words)])
    status: int = args.run(args)
    return status


def test_several_models_are_measured_side_by_side_and_drawn(
    tiny_model: Path, intent_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    plot = tmp_path / "typing.png"
    options = ["--shots", 3, "--errors", "0,2", "--split", "valid", "--plot", plot]
    assert call(intent_dir, intent_dir, "--model", tiny_model, "default", *options) == 0
    captured = capsys.readouterr()
    first, second = map(json.loads, captured.out.splitlines())
    assert first == second
    assert first["models"] == {"tiny": str(tiny_model), "default": str(find_model())}
    assert (first["split"], first["runs"], first["shots"]) == ("valid", 2, 3)
    rows = first["results"]
    assert [row["system"] for row in rows] == ["tiny"] * 6 + ["default"] * 6
    assert [row["errors"] for row in rows[:6]] == [0, 0, 0, 2, 2, 2]
    assert rows[0]["accuracy"] == {"mean": 1.0, "std": 0.0}
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert "4/4 runs" in captured.err


def test_one_decision_can_be_chosen(
    tiny_model: Path, intent_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call(intent_dir, "--model", tiny_model, "--shots", 1, "--decision", "nearest")
    rows = json.loads(capsys.readouterr().out)["results"]
    assert [row["decision"] for row in rows] == ["nearest"] * 4


def test_models_of_equal_names_keep_their_paths_and_no_model_is_named_twice(
    tiny_model: Path, intent_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / tiny_model.name
    other.write_bytes(tiny_model.read_bytes())
    call(intent_dir, "--model", tiny_model, other, "--shots", 1, "--errors", 0, "--runs", 1)
    report = json.loads(capsys.readouterr().out)
    assert list(report["models"]) == [str(tiny_model), str(other)]
    with pytest.raises(SystemExit, match="2"):
        call(intent_dir, "--model", tiny_model, tiny_model)
    assert f"--model: {tiny_model} is given twice; give it once" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", [["--errors", "-1"], ["--errors", "1,1"], ["--shots", "0"], ["--decision", "loud"]]
)
def test_bad_options_are_a_bad_call(
    words: list[str], intent_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        call(intent_dir, *words)
    assert caught.value.code == 2
    capsys.readouterr()
