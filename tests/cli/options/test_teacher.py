import json
from pathlib import Path

import pytest

from commands.command_ends import ending
from pocketintent.cli.main import main
from pocketintent.runtime.files.shipped_models import find_model


@pytest.mark.parametrize(("option", "name"), [("--model", "tiny"), ("--teacher", "tiny")])
def test_a_report_says_what_was_measured(
    option: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs = tmp_path / "sts.jsonl"
    rows = (("x", "y", 1), ("lamp on", "light on", 4), ("stop", "pizza", 0))
    lines = [json.dumps(dict(zip(("a", "b", "score"), row, strict=True))) for row in rows]
    pairs.write_text("\n".join(lines))
    assert main(["evaluate", "sts", str(pairs), option, name]) == 0
    assert json.loads(capsys.readouterr().out)["model"] == str(find_model(name))


@pytest.mark.parametrize("option", ["--join", "--embedding", "--layers", "--tuning-epochs"])
def test_an_option_that_a_file_has_now_says_so(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "sts.jsonl").write_text('{"a": "x", "b": "y", "score": 1}\n')
    call = ["evaluate", "sts", str(tmp_path / "sts.jsonl"), "--teacher", "tiny", option, "1"]
    assert ending(lambda: main(call)) == 2
    assert f"unrecognized arguments: {option} 1; this is said by a file" in capsys.readouterr().err


def test_a_description_needs_what_reads_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "sts.jsonl").write_text('{"a": "x", "b": "y", "score": 1}\n')
    (tmp_path / "t.toml").write_text('kind = "joined"\n')
    call = ["evaluate", "sts", str(tmp_path / "sts.jsonl"), "--teacher", str(tmp_path / "t.toml")]
    assert main(call) == 1
    assert "the kind of teacher is 'joined'; descriptions of" in capsys.readouterr().err
