import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
from commands.command_ends import ending
from commands.settings_files import settings_file
from pocketintent.cli.main import main
from pocketintent.cli.options.training import print_record
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.files.model_file import load_model

UTTERANCES = [
    f"{verb} the {noun}" for verb in ("play", "stop", "find") for noun in ("song", "film", "news")
]
QUICK = ["--dim", "4", "--epochs", "3", "--threads", "1", *settings_file(min_count=1)]


def call(*arguments: object) -> int:
    return main(["train", *map(str, arguments)])


def test_a_model_is_distilled_from_the_vectors_of_a_teacher_for_words_and_utterances(
    tiny_model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus, words = tmp_path / "chats.txt", tmp_path / "words.tsv"
    corpus.write_text("\n".join(UTTERANCES))
    utterances, out = tmp_path / "utterances.bin", tmp_path / "model.safetensors"
    teach = ["targets", "--teacher", tiny_model]
    assert call(*teach, "--words", tiny_model, "--out", words) == 0
    assert call(*teach, "--texts", corpus, "--out", utterances) == 0
    capsys.readouterr()
    assert (
        call("distil", "--targets", words, utterances, "--out", out, *QUICK, "--language", "en")
        == 0
    )
    printed = capsys.readouterr()
    record = json.loads(printed.out)
    assert record["method"] == "distilled"
    assert record["out"] == str(out)
    assert -1 <= record["cosine"]["training"] <= 1
    assert "texts to learn" in printed.err
    model = load_model(out)
    assert model.manifest["training"]["loss"] == record["loss"]
    assert model.manifest["languages"] == ["en"]
    assert model.tensors["vocabulary.counts"].dtype == np.uint32
    assert load_encoder(out).dim == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--targets", "nowhere.tsv", "--out", "m"), "nowhere.tsv"),
        (("--targets", "words.tsv", "--out", "no/folder/m"), "there is no folder no/folder"),
        (("--targets", "words.tsv", "--out", "m", "--dim", 9), "dim 9 is more than the 2"),
        (
            ("--targets", "words.tsv", "--out", "m", "--epochs", 0),
            "argument --epochs: must be at least 1",
        ),
    ],
    ids=str,
)
def test_bad_input_is_named_and_leaves_no_file(
    arguments: tuple[object, ...],
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("words.tsv").write_text("play\t1\t0\nstop\t0\t1\n")
    assert ending(lambda: call("distil", *arguments)) == (
        2 if message.startswith("argument") else 1
    )
    assert message in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["words.tsv"]


def test_only_the_first_of_several_processes_prints_the_record(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for rank, printed in (("1", ""), ("0", '{"loss":3}\n')):
        monkeypatch.setenv("RANK", rank)
        print_record({"loss": 3})
        assert capsys.readouterr().out == printed


def test_texts_that_are_all_held_out_are_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    targets, out = tmp_path / "t.tsv", tmp_path / "model.safetensors"
    targets.write_text("play song\t1\t0\nstop song\t0\t1\nplay film\t1\t1\n")
    options = ["--dim", 2, *settings_file(min_count=1, validation=0.9999)]
    assert call("distil", "--targets", targets, "--out", out, *options) == 1
    assert "validation 0.9999 holds out all 3 texts" in capsys.readouterr().err
