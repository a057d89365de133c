import json
from pathlib import Path

import orjson
import pytest

pytest.importorskip("torch")
from commands.command_ends import ending
from commands.settings_files import settings_file
from models.tiny_transformers import write_transformer
from pocketintent.cli.main import main
from pocketintent.runtime.encoders.registry import load_kind
from pocketintent.runtime.encoders.transformer.encoder import TransformerEncoder

NOUNS = ["song", "film", "news"]
UTTERANCES = [f"{verb} the {noun}" for verb in ("play", "stop", "find") for noun in NOUNS]
LETTERS = "abcdefghijklmnopqrstuvwxyz"
QUICK = ["--epochs", "2", "--threads", "1", *settings_file(layers=1, feedforward=8)]


def call(*arguments: object) -> int:
    return main(["train", *map(str, arguments)])


def test_a_model_is_trained_compressed_and_trained_on(
    tiny_model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bert, corpus, groups = tmp_path / "bert", tmp_path / "chats.txt", tmp_path / "groups.jsonl"
    bert.mkdir()
    write_transformer(bert, [*LETTERS, *(f"##{c}" for c in LETTERS), "play", "stop", "the", *NOUNS])
    corpus.write_text("\n".join(UTTERANCES))
    groups.write_bytes(orjson.dumps({"texts": ["play the song", "the song"]}))
    names = ("targets.tsv", "floats.safetensors", "small.safetensors", "out.safetensors")
    targets, floats, small, out = (tmp_path / name for name in names)
    assert call("targets", "--teacher", tiny_model, "--texts", corpus, "--out", targets) == 0
    first = ["transformer", "--targets", targets, "--start", bert, "--paraphrases", groups]
    assert call(*first, "--out", floats, *QUICK) == 0
    codes = ["--sub-dim", "4", "--codebook-size", "4"]
    assert main(["compress", str(floats), "--out", str(small), *codes]) == 0
    capsys.readouterr()
    again = ["transformer", "--targets", targets, "--start", small, "--corpus", corpus]
    assert call(*again, "--out", out, *QUICK) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["method"] == "transformer"
    assert "texts to learn" in printed.err
    encoder = load_kind(out, TransformerEncoder)
    assert encoder.network.format == "codebook" and encoder.network.layers == 1
    assert encoder.background is not None


def test_a_start_is_required(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    targets = tmp_path / "targets.tsv"
    targets.write_text("play\t1\t0\n")
    out = tmp_path / "model.safetensors"
    assert ending(lambda: call("transformer", "--targets", targets, "--out", out)) == 2
    assert "--start" in capsys.readouterr().err
