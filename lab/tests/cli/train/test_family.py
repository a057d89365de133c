"""The commands that train on a corpus alone and have the same options: GloVe and Sent2Vec."""

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
from commands.command_ends import ending
from pocketintent.cli.main import build_parser, main
from pocketintent.cli.options.settings import read_settings
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.files.model_file import load_model
from pocketintent_lab.training.glove.settings import GloveSettings
from pocketintent_lab.training.sent2vec.settings import Sent2VecSettings

SETTINGS: dict[str, type[Any]] = {"glove": GloveSettings, "sent2vec": Sent2VecSettings}
QUICK = ("--dim", 4, "--epochs", 2, "--threads", 1)


def call(method: str, *argv: Any) -> int:
    return main(["train", method, *map(str, argv)])


@pytest.mark.parametrize("method", SETTINGS)
def test_training_prints_its_record_and_the_model_serves_other_commands(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], method: str
) -> None:
    out, small = tmp_path / "model.safetensors", tmp_path / "small.safetensors"
    options = ("--corpus", corpus, "--out", out, *QUICK, "--language", "en")
    assert call(method, *options) == 0
    printed = capsys.readouterr()
    record = json.loads(printed.out)
    assert printed.out.count("\n") == 1
    assert record.pop("out") == str(out)
    assert record["method"] == method
    manifest = load_model(out).manifest
    assert manifest["training"] == record
    assert manifest["languages"] == ["en"]
    assert "epoch 2 of 2: loss" in printed.err
    compress = ["--out", str(small), "--sub-dim", "2", "--codebook-size", "4", "--keep", "5"]
    assert main(["compress", str(out), *compress]) == 0
    assert load_encoder(small).encode("play the song").any()


@pytest.mark.parametrize("method", SETTINGS)
def test_every_setting_has_an_option_with_its_default(method: str) -> None:
    args = build_parser().parse_args(["train", method, "--corpus", "c", "--out", "o"])
    assert read_settings(args, SETTINGS[method]) == SETTINGS[method]()
    assert all(field.name in args for field in fields(SETTINGS[method]))


BAD_INPUT = [
    (("--dim", 0), "argument --dim: must be at least 1, not 0"),
    (("--device", "abacus"), "--device abacus"),
    (("--min-count", 99), "no word that occurs 99 times"),
    (("--corpus", "none.txt"), "none.txt: cannot be read"),
]


@pytest.mark.parametrize("method", SETTINGS)
@pytest.mark.parametrize(("options", "message"), BAD_INPUT, ids=str)
def test_bad_input_ends_with_a_message(
    corpus: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    method: str,
    options: tuple[Any, ...],
    message: str,
) -> None:
    out = tmp_path / "model.safetensors"
    assert ending(lambda: call(method, "--corpus", corpus, "--out", out, *options)) == (
        2 if message.startswith("argument") else 1
    )
    printed = capsys.readouterr()
    assert message in printed.err.splitlines()[-1]
    assert printed.out == ""
    assert not out.exists()
