import json
from pathlib import Path

import pytest

pytest.importorskip("torch")
from commands.command_ends import ending
from pocketintent.cli.main import main
from pocketintent.runtime.encoders.registry import load_kind
from pocketintent_lab.encoders.convrr.encoder import ConvrrEncoder

TEMPLATES = {"on": ["lamp on", "turn on the light"], "off": ["lamp off", "turn off the light"]}


def call(*arguments: object) -> int:
    return main([str(argument) for argument in arguments])


def test_an_adapted_model_matches(
    contextual_model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bot, out = tmp_path / "bot.json", tmp_path / "out.safetensors"
    bot.write_text(json.dumps(TEMPLATES))
    train = ["train", "convrr", "--templates", bot, "--model", contextual_model, "--out", out]
    assert call(*train, "--kernels", 4, "--epochs", 2) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["method"] == "convrr" and len(record["loss"]) == 2
    assert load_kind(out, ConvrrEncoder).head.inner.shape == (4, 5 * 32)
    assert call("match", "--templates", bot, "--model", out, "lamp off please") == 0
    assert json.loads(capsys.readouterr().out)["nearest"] == "off"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--width", 4), "width must be an odd number"),
        (("--margin", 0), "argument --margin: must be above 0"),
        (("--model", "nowhere"), "argument --model: nowhere"),
    ],
)
def test_bad_calls(
    arguments: tuple[object, ...],
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    bot = tmp_path / "bot.json"
    bot.write_text(json.dumps(TEMPLATES))
    out = tmp_path / "out.safetensors"
    status = ending(lambda: call("train", "convrr", "--templates", bot, "--out", out, *arguments))
    assert status == (2 if message.startswith("argument") else 1)
    assert message in capsys.readouterr().err
    assert not out.exists()


def test_an_ensemble_is_a_teacher(
    tiny_model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ensemble, chats, out = (tmp_path / name for name in ("e.json", "chats.txt", "targets.tsv"))
    mixture = {"source": str(tiny_model), "idf": True}
    ensemble.write_text(json.dumps({"mixtures": [mixture, {"source": str(tiny_model)}]}))
    chats.write_text("lamp on\nlamp off\n")
    call_ = ["train", "targets", "--teacher", ensemble, "--texts", chats, "--out", out]
    assert call(*call_) == 0
    assert json.loads(capsys.readouterr().out)["dim"] == 64
    assert len(out.read_text().splitlines()) == 2
