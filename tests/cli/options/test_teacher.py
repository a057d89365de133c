import argparse
from pathlib import Path

import pytest

from pocketintent.cli.options.teacher import add_encoder_options, describe_encoder
from pocketintent.runtime.files.shipped_models import find_model


@pytest.mark.parametrize(
    ("words", "report"),
    [
        ("", {"model": str(find_model())}),
        ("--model tiny", {"model": str(find_model("tiny"))}),
        ("--teacher bert", {"model": "bert"}),
        ("--teacher bert --join a b", {"model": "bert+a+b"}),
        ("--teacher bert --embedding cls", {"model": "bert", "embedding": "cls"}),
    ],
)
def test_a_report_says_what_was_measured(
    words: str, report: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    parser = argparse.ArgumentParser()
    add_encoder_options(parser)
    assert describe_encoder(parser.parse_args(words.split())) == report
