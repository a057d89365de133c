import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
from commands.command_ends import ending
from commands.settings_files import settings_file
from pocketintent.cli.main import main
from pocketintent.runtime.files.model_file import load_model
from pocketintent.training.vectors.table import TermVectors
from pocketintent.training.vectors.writing import write_vectors

SMALL = {"hidden": 6, "char_dim": 4, "mlp": 8, "epochs": 2, "min_char_count": 1}
QUICK = settings_file(**SMALL)


@pytest.fixture
def target(tmp_path: Path) -> Path:
    path = tmp_path / "target.txt"
    words = [
        a + b for a in ("turn", "light", "play", "stop", "on", "jazz") for b in ("", "s", "er")
    ]
    vectors = np.random.default_rng(0).standard_normal((len(words), 8)).astype(np.float32)
    write_vectors(path, TermVectors(words, vectors))
    return path


def call(*argv: Any) -> int:
    return main(["train", "charemb", "--threads", "1", *map(str, argv)])


def test_the_record_is_one_json_line_and_the_model_can_be_used(
    target: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "model.safetensors"
    more = ("--reads", "words", "--language", "en")
    assert call("--target", target, "--out", out, *QUICK, *more) == 0
    printed = capsys.readouterr()
    assert printed.out.count("\n") == 1
    record = json.loads(printed.out)
    assert record["out"] == str(out)
    assert load_model(out).manifest["languages"] == ["en"]
    assert record["bytes"] == out.stat().st_size
    assert record["epochs"] == len(record["history"]) == 2
    assert record["terms"] == {"training": 14, "validation": 4}
    assert -1 <= record["validation"]["cosine"] <= 1
    assert record["seconds"] >= 0
    assert "epoch 2 of 2: loss" in printed.err
    templates = tmp_path / "templates.json"
    templates.write_text(json.dumps({"on": ["turn on"], "music": ["play jazz"]}))
    assert main(["match", "--templates", str(templates), "--model", str(out), "play jazz"]) == 0
    assert json.loads(capsys.readouterr().out)["nearest"] == "music"
    pairs = tmp_path / "pairs.jsonl"
    rows = [("turn on", "turn off", 3.0), ("play jazz", "stop", 1.0), ("a", "a", 5.0)]
    pairs.write_text(
        "\n".join(json.dumps({"a": a, "b": b, "score": score}) for a, b, score in rows)
    )
    assert main(["evaluate", "sts", str(pairs), "--model", str(out)]) == 0
    assert json.loads(capsys.readouterr().out)["pairs"] == 3


def test_options_change_the_preset(
    target: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, exact = tmp_path / "model.safetensors", tmp_path / "exact.safetensors"
    changes = settings_file(**SMALL, cell="gru", bidirectional=False)
    options = ("--preset", "large", "--weights", "codebook")
    more = ("--limit", 9, "--float-out", exact, "--precision", "float32", "--max-minutes", 1)
    assert call("--target", target, "--out", out, *changes, *options, *more) == 0
    record = json.loads(capsys.readouterr().out)
    settings = record["settings"]
    assert (settings["cell"], settings["bidirectional"], settings["layers"]) == ("gru", False, 2)
    assert (settings["hidden"], settings["learning_rate"]) == (6, 5e-4)
    assert sum(record["terms"].values()) == 9
    assert (record["precision"], record["weights"]) == ("float32", "codebook")
    assert exact.stat().st_size > 0


def test_the_settings_of_a_preset_are_written(capsys: pytest.CaptureFixture[str]) -> None:
    for argv in (["--preset", "large", "--write-settings"], ["--write-settings", "--preset=large"]):
        assert call(*argv) == 0
        lines = capsys.readouterr().out.splitlines()
        assert {"hidden = 768", "layers = 2", 'cell = "lstm"'} <= set(lines)


BAD_INPUT = [
    (("--epochs", 0), "argument --epochs: must be at least 1, not 0"),
    (settings_file(dropout=1), "line 1: dropout must be at least 0 and below 1, not 1.0"),
    (("--threads", 0), "argument --threads: must be at least 1"),
    (("--max-minutes", "nan"), "argument --max-minutes: must be a finite number"),
    (("--device", "abacus"), "--device abacus"),
    (("--precision", "float16"), "float16 needs a GPU"),
    (settings_file(**SMALL | {"min_char_count": 99}), "no character is in 99 terms"),
    (settings_file(**SMALL, cell="transformer", heads=5), "a transformer needs"),
    (("--out", "nowhere/model.safetensors"), "there is no folder nowhere"),
    (("--float-out", "nowhere/model.safetensors"), "there is no folder nowhere"),
    (("--target", "none.txt"), "none.txt"),
]


@pytest.mark.parametrize(("options", "message"), BAD_INPUT, ids=str)
def test_bad_input_ends_with_a_message(
    target: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    options: tuple[Any, ...],
    message: str,
) -> None:
    out = tmp_path / "model.safetensors"
    assert ending(lambda: call("--target", target, "--out", out, *QUICK, *options)) == (
        2 if message.startswith("argument") else 1
    )
    printed = capsys.readouterr()
    assert message in printed.err.splitlines()[-1]
    assert printed.out == ""
    assert not out.exists()
    assert not Path(f"{out}.work").exists()


def test_a_missing_gpu_is_named(
    target: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any
) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    assert call("--target", target, "--out", tmp_path / "m", "--device", "cuda") == 1
    assert "this torch sees no GPU" in capsys.readouterr().err
