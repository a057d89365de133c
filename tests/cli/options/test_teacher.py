import argparse
from pathlib import Path

import pytest

from command_ends import ending
from pocketintent.cli.main import main
from pocketintent.cli.options.teacher import add_encoder_options, describe_encoder
from pocketintent.runtime.files.shipped_models import find_model


@pytest.mark.parametrize(
    ("words", "report"),
    [
        ("", {"model": str(find_model())}),
        ("--model tiny", {"model": str(find_model("tiny"))}),
        ("--teacher bert", {"model": "bert"}),
        ("--teacher neural.toml", {"model": "neural.toml"}),
    ],
)
def test_a_report_says_what_was_measured(
    words: str, report: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    parser = argparse.ArgumentParser()
    add_encoder_options(parser)
    assert describe_encoder(parser.parse_args(words.split())) == report


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
