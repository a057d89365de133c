import argparse
from pathlib import Path

import pytest

from pocketintent.cli.main import build_parser
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.shipped_models import find_model


def parse(*words: object) -> argparse.Namespace:
    return build_parser().parse_args(["evaluate", "reconstruction", *map(str, words)])


def test_the_report_is_one_json_line(
    tiny_model: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = []

    def answer(*files: Path, limit: int | None) -> dict:
        asked.append((*files, limit))
        return {"pairs": 2}

    monkeypatch.setattr(
        "pocketintent_lab.evaluation.similarity.reconstruction.evaluate_reconstruction", answer
    )
    args = parse("sts.jsonl", "--target", "v.txt", "--model", tiny_model, "--limit", 9)
    assert args.run(args) == 0
    assert asked == [(Path("sts.jsonl"), Path("v.txt"), tiny_model, 9)]
    assert capsys.readouterr().out == '{"pairs":2}\n'


def test_a_model_of_words_is_bad_input(tiny_model: Path) -> None:
    args = parse("sts.jsonl", "--target", tiny_model, "--model", tiny_model)
    with pytest.raises(PocketIntentError, match="a model of kind 'charemb' is required"):
        args.run(args)


def test_a_shipped_model_is_named() -> None:
    assert parse("sts.jsonl", "--target", "default", "--model", "tiny").model == find_model("tiny")


def test_target_and_model_are_required(
    tiny_model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        parse("sts.jsonl", "--model", tiny_model)
    assert caught.value.code == 2
    assert "--target" in capsys.readouterr().err
