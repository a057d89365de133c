import csv
import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
from commands.command_ends import ending
from pocketintent.cli.main import build_parser, main
from pocketintent.cli.options.settings import read_settings
from pocketintent.runtime.encoders.registry import load_kind
from pocketintent_lab.encoders.infersent.encoder import InferSentEncoder
from pocketintent_lab.training.infersent.settings import InferSentSettings

QUICK = ("--hidden", 4, "--mlp", 8, "--epochs", 2, "--threads", 1)


def call(*arguments: Any) -> int:
    return main(["train", "infersent", *map(str, arguments)])


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["premise", "hypothesis", "gold_label"])
        for verb in ("turn on", "put off", "open"):
            for noun in ("the lamp", "the door", "the music"):
                writer.writerow([f"{verb} {noun}", noun, "entailment"])
                writer.writerow([noun, f"please {verb} the gate", "neutral"])
        writer.writerow(["the lamp", "the door", "-"])
    return path


def test_a_model_is_trained_pruned_and_matches(
    pairs: Path, tiny_model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, small = tmp_path / "model.safetensors", tmp_path / "small.safetensors"
    assert call("--pairs", pairs, "--vectors", tiny_model, "--out", out, *QUICK) == 0
    printed = capsys.readouterr()
    record = json.loads(printed.out)
    assert record["method"] == "infersent"
    assert record["num_pairs"]["unlabelled"] == 1
    assert record["classes"] == {"label": ["entailment", "neutral"]}
    assert "pairs to learn" in printed.err and "epoch 2 of 2: loss" in printed.err
    assert main(["compress", str(out), "--keep", "20", "--out", str(small)]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["codes_kept"]
    assert report["words"]["after"] == len(load_kind(small, InferSentEncoder).vocabulary) == 20
    sizes = report["bytes"]
    assert sizes["codes"] == 20 * 32 and sizes["codebook"] == 2 * 255 and sizes["network"] > 0


def test_a_float_model_is_compressed(
    pairs: Path, tiny_model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, small = tmp_path / "model.safetensors", tmp_path / "small.safetensors"
    options = ("--out", out, "--weights", "float32", *QUICK)
    assert call("--pairs", pairs, "--vectors", tiny_model, *options) == 0
    codes = ["--sub-dim", "4", "--codebook-size", "16"]
    assert main(["compress", str(out), "--out", str(small), *codes]) == 0
    capsys.readouterr()
    floats, ints = load_kind(out, InferSentEncoder), load_kind(small, InferSentEncoder)
    assert (floats.network.format, ints.network.format) == ("float32", "int8")
    assert floats.encode("turn on the lamp") @ ints.encode("turn on the lamp") > 0.98
    odd = ["--out", str(small), "--sub-dim", "5", "--codebook-size", "4"]
    assert ending(lambda: main(["compress", str(out), *odd])) == 1
    assert "sub_dim must divide the 32 dimensions of the words" in capsys.readouterr().err


def test_every_setting_has_an_option_with_its_default() -> None:
    required = ["--pairs", "p", "--vectors", "v", "--out", "o"]
    args = build_parser().parse_args(["train", "infersent", *required])
    assert read_settings(args, InferSentSettings) == InferSentSettings()
    assert all(field.name in args for field in fields(InferSentSettings))


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (("--hidden", 0), 2, "argument --hidden: must be at least 1 and at most 32768, not 0"),
        (("--pairs", "none.csv"), 1, "none.csv: cannot be read"),
        (("--label", "verdict"), 1, "pairs.csv: no column 'verdict'; the file has 'premise'"),
        (("--score", "gold_label"), 1, 'pairs.csv, line 2: "gold_label" must be a number'),
        (("--vectors", "pairs.csv"), 1, "pairs.csv"),
        (("--precision", "float16"), 1, "precision float16 needs a GPU"),
    ],
)
def test_bad_calls(
    options: tuple[Any, ...],
    status: int,
    message: str,
    pairs: Path,
    tiny_model: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    given = {"--pairs": pairs.name, "--vectors": tiny_model, "--out": "out.safetensors"}
    given |= dict([options])
    arguments = [word for option in given.items() for word in option]
    assert ending(lambda: call(*arguments, "--threads", 1)) == status
    assert message in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["pairs.csv"]
