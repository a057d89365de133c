import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
from commands.command_ends import ending
from commands.settings_files import settings_file
from pocketintent.cli.main import main
from pocketintent.runtime.encoders.contextual.encoder import ContextualEncoder
from pocketintent.runtime.encoders.registry import load_kind

UTTERANCES = [
    f"{verb} the {noun}" for verb in ("play", "stop", "find") for noun in ("song", "film", "news")
]
QUICK = ["--dim", "4", "--epochs", "2", "--threads", "1"]
QUICK += settings_file(hidden=8, num_buckets=32)


def call(*arguments: object) -> int:
    return main(["train", *map(str, arguments)])


def test_a_model_is_trained_compressed_and_trained_on(
    tiny_model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus, targets = tmp_path / "chats.txt", tmp_path / "targets.tsv"
    corpus.write_text("\n".join(UTTERANCES))
    floats, small, out = (tmp_path / f"{name}.safetensors" for name in ("floats", "small", "out"))
    made = ["--single-words", 2, "--phrases", 5, "--substitutions", 5]
    assert call("targets", "--teacher", tiny_model, "--texts", corpus, *made, "--out", targets) == 0
    assert call("contextual", "--targets", targets, "--out", floats, *QUICK) == 0
    codes = ["--sub-dim", "2", "--codebook-size", "4"]
    assert main(["compress", str(floats), "--out", str(small), *codes]) == 0
    capsys.readouterr()
    again = ["contextual", "--targets", targets, "--start", small, "--corpus", corpus]
    assert call(*again, "--out", out, *QUICK) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["method"] == "contextual"
    assert "texts to learn" in printed.err
    encoder = load_kind(out, ContextualEncoder)
    assert encoder.network.format == "int8"
    assert encoder.background is not None
    adapted = tmp_path / "adapted.safetensors"
    again = ["contextual", "--targets", targets, "--start", out, "--out", adapted, *QUICK]
    assert call(*again) == 0
    codes = load_kind(adapted, ContextualEncoder).background.vectors.codes
    np.testing.assert_array_equal(codes, encoder.background.vectors.codes)


def test_the_texts_of_a_template_file_are_targets(
    tiny_model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bot, targets = tmp_path / "bot.json", tmp_path / "targets.tsv"
    bot.write_text('{"play": ["play music"], "StopIt": ["stop that", "play music"]}')
    teach = ["targets", "--teacher", tiny_model, "--out", targets]
    assert call(*teach, "--templates", bot) == 0
    texts = [line.partition("\t")[0] for line in targets.read_text().splitlines()]
    assert texts == ["play music", "stop that", "play", "stop it"]
    assert json.loads(capsys.readouterr().out)["texts"] == 4
    bot.write_text('{"play": []}')
    assert ending(lambda: call(*teach, "--templates", bot)) == 1
    assert "bot.json: intent 'play'" in capsys.readouterr().err


def test_texts_get_other_topics(
    tiny_model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus, targets = tmp_path / "chats.txt", tmp_path / "targets.tsv"
    letters = "abcdefghijklmnopqrs"
    nouns = [f"lamp{first}{second}" for first in letters for second in letters]
    days = ("today", "tonight", "tomorrow", "later", "soon", "again", "now")
    texts = [
        f"please turn the {noun} on for me {days[(number + shift) % len(days)]}"
        for number, noun in enumerate(nouns)
        for shift in range(3)
    ]
    corpus.write_text("\n".join(texts))
    teach = ["targets", "--teacher", tiny_model, "--texts", corpus, "--out", targets]
    assert call(*teach, "--topics", 20) == 0
    made = json.loads(capsys.readouterr().out)["texts"] - len(texts)
    assert 0 < made <= 20
    corpus.write_text("\n".join(UTTERANCES))
    assert call(*teach, "--topics", 20) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["texts"] == len(UTTERANCES)
    assert "no more than 0 texts on other topics" in printed.err
    corpus.write_text("hello there")
    assert call(*teach, "--topics", 20) == 0
    assert "no more than 0 texts on other topics" in capsys.readouterr().err
    assert ending(lambda: call(*teach, "--single-words", 2)) == 1
    assert "no word occurs 2 times in --texts" in capsys.readouterr().err


def test_targets_are_reduced_to_components(
    tiny_model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus, targets = tmp_path / "chats.txt", tmp_path / "targets.tsv"
    corpus.write_text("\n".join(UTTERANCES))
    teach = ["targets", "--teacher", tiny_model, "--texts", corpus]
    teach += ["--out", targets]
    assert call(*teach, "--components", 3) == 0
    assert json.loads(capsys.readouterr().out)["dim"] == 3
    assert {line.count("\t") for line in targets.read_text().splitlines()} == {3}
    assert ending(lambda: call(*teach, "--components", 3000)) == 1
    assert "--components 3000 is more than the" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--targets", "nowhere.tsv", "--out", "m"), "nowhere.tsv"),
        (
            ("--targets", "words.tsv", "--out", "m", *settings_file(width=2)),
            "width must be an odd number",
        ),
        (
            ("--targets", "words.tsv", "--out", "m", "--start", "no.safetensors"),
            "argument --start: no",
        ),
    ],
)
def test_bad_calls(
    arguments: tuple[object, ...],
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("words.tsv").write_text("play\t1\t0\nstop\t0\t1\n")
    assert ending(lambda: call("contextual", *arguments)) == (
        2 if message.startswith("argument") else 1
    )
    assert message in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["words.tsv"]


def test_made_texts_need_texts_and_a_transformer(
    tiny_model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    teach = ["targets", "--teacher", tiny_model, "--out", tmp_path / "t.tsv"]
    words = [*teach, "--words", tiny_model]
    assert ending(lambda: call(*words, "--phrases", 3)) == 1
    assert "require --texts" in capsys.readouterr().err
    assert ending(lambda: call(*words, "--teacher-words")) == 1
    assert "has no tokens" in capsys.readouterr().err
