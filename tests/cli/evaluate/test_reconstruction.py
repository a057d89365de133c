import argparse
from pathlib import Path

import pytest

from pocketintent.cli.main import build_parser
from pocketintent.runtime.errors import PocketIntentError


def parse(*words: object) -> argparse.Namespace:
    return build_parser().parse_args(["evaluate", "reconstruction", *map(str, words)])


def test_the_report_is_one_json_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = []

    def answer(*files: Path, limit: int | None) -> dict:
        asked.append((*files, limit))
        return {"pairs": 2}

    monkeypatch.setattr(
        "pocketintent.evaluation.similarity.reconstruction.evaluate_reconstruction", answer
    )
    args = parse("sts.jsonl", "--target", "v.txt", "--model", "c.safetensors", "--limit", 9)
    assert args.run(args) == 0
    assert asked == [(Path("sts.jsonl"), Path("v.txt"), Path("c.safetensors"), 9)]
    assert capsys.readouterr().out == '{"pairs":2}\n'


def test_a_model_of_words_is_bad_input(tiny_model: Path) -> None:
    args = parse("sts.jsonl", "--target", tiny_model, "--model", tiny_model)
    with pytest.raises(PocketIntentError, match="needs one of kind 'charemb'"):
        args.run(args)


def test_target_and_model_are_required(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        parse("sts.jsonl", "--model", "c.safetensors")
    assert caught.value.code == 2
    assert "--target" in capsys.readouterr().err
