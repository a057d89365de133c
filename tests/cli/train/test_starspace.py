import json
import shlex
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest

pytest.importorskip("torch")
from commands.command_ends import ending
from commands.settings_files import settings_file
from pocketintent.cli.main import build_parser, main
from pocketintent.cli.options.settings import read_settings
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.model_file import load_model
from pocketintent.training.starspace.settings import StarSpaceSettings

QUICK = ("--dim", 4, "--epochs", 2, "--threads", 1)


def call(*argv: Any) -> int:
    return main(["train", "starspace", *map(str, argv)])


def test_training_prints_its_record_as_one_json_line(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "model.safetensors"
    assert call("--corpus", corpus, "--out", out, *QUICK) == 0
    printed = capsys.readouterr()
    record = json.loads(printed.out)
    assert printed.out.count("\n") == 1
    assert record.pop("out") == str(out)
    assert load_model(out).manifest["training"] == record
    assert len(record["loss"]) == 2
    assert "epoch 2 of 2: loss" in printed.err
    assert load_encoder(out).encode("play some jazz").any()


def test_options_reach_the_settings(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "model.safetensors"
    options = ("--mode", "labelled", "--max-words", 5, "--no-share-sides", "--seed", 9)
    more = settings_file(
        loss="softmax", optimizer="sgd", num_buckets=20, tokenizer="tweet", max_words=7
    )
    assert call("--corpus", corpus, corpus, "--out", out, *QUICK, *options, *more) == 0
    record = json.loads(capsys.readouterr().out)
    settings = record["settings"]
    chosen = {"mode": "labelled", "loss": "softmax", "optimizer": "sgd", "max_words": 5}
    assert settings.items() >= chosen.items()
    assert (settings["share_sides"], settings["num_buckets"], settings["seed"]) == (False, 20, 9)
    assert len(record["corpora"]) == 2
    assert load_model(out).manifest["tokenizer"]["name"] == "tweet"


def test_every_setting_takes_the_choices_of_its_type_and_no_other(tmp_path: Path) -> None:
    words = ["train", "starspace", "--corpus", str(tmp_path / "c"), "--out", "o"]
    hints = get_type_hints(StarSpaceSettings)
    names = [name for name, hint in hints.items() if get_origin(hint) is Literal]
    assert set(names) == {
        *("mode", "loss", "violations", "optimizer", "accumulate", "tokenizer", "split")
    }
    for name in names:
        for choice in get_args(hints[name]):
            args = build_parser().parse_args([*words, *settings_file(**{name: choice})])
            assert getattr(read_settings(args, StarSpaceSettings), name) == choice
        args = build_parser().parse_args([*words, *settings_file(**{name: "another"})])
        with pytest.raises(PocketIntentError, match=f"line 1: {name} must be one of"):
            read_settings(args, StarSpaceSettings)


def test_an_unfinished_run_needs_resume_or_restart(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "model.safetensors"
    (tmp_path / "model.safetensors.work").mkdir()
    assert call("--corpus", corpus, "--out", out, *QUICK) == 1
    assert "--resume continues it, --restart discards it" in capsys.readouterr().err
    assert call("--corpus", corpus, "--out", out, *QUICK, "--restart") == 0


BAD_INPUT = [
    (("--dim", 0), "argument --dim: must be at least 1, not 0"),
    (("--seed", -1), "argument --seed: must be"),
    (settings_file(margin=-1), "line 1: margin must be at least 0, not -1.0"),
    (("--threads", 0), "argument --threads: must be at least 1"),
    (("--device", "abacus"), "--device abacus"),
    (("--min-count", 99), "no word that occurs 99 times"),
    (("--out", "nowhere/model.safetensors"), "there is no folder nowhere"),
    (("--corpus", "none.txt"), "none.txt: cannot be read"),
]


@pytest.mark.parametrize(("options", "message"), BAD_INPUT, ids=lambda part: str(part))
def test_bad_input_ends_with_a_message(
    corpus: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    options: tuple[Any, ...],
    message: str,
) -> None:
    out = tmp_path / "model.safetensors"
    assert ending(lambda: call("--corpus", corpus, "--out", out, *options)) == (
        2 if message.startswith("argument") else 1
    )
    printed = capsys.readouterr()
    assert message in printed.err.splitlines()[-1]
    assert printed.out == ""
    assert not out.exists()


@pytest.mark.parametrize(
    "argv",
    [
        [],
        ["--corpus", "c"],
        ["--out", "o"],
        ["--corpus", "c", "--out", "o", "--mode", "poem"],
        ["--corpus", "c", "--out", "o", "--resume", "--restart"],
    ],
)
def test_a_bad_call_ends_with_status_2(argv: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        call(*argv)
    assert caught.value.code == 2


def test_a_missing_gpu_is_named(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any
) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    assert call("--corpus", corpus, "--out", tmp_path / "m", "--device", "cuda") == 1
    assert "this torch sees no GPU" in capsys.readouterr().err


def test_an_interrupted_run_says_how_to_resume(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any
) -> None:
    out = tmp_path / "model.safetensors"

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("pocketintent.training.loop.trainer.Trainer._step", interrupt)
        assert call("--corpus", corpus, "--out", out, *QUICK, "--restart") == 130
    printed = capsys.readouterr().err.splitlines()[-1]
    assert printed.startswith("interrupted; to continue, run: pocketintent train starspace ")
    words = shlex.split(printed.partition("pocketintent ")[2])
    assert "--restart" not in words
    assert words[-1] == "--resume"
    assert main(words) == 0
    assert load_model(out).manifest["training"]["method"] == "starspace"


def test_ngrams_that_no_model_can_have_are_refused_before_training(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "model.safetensors"
    options = settings_file(num_buckets=10, max_n=70)
    assert call("--corpus", corpus, "--out", out, *QUICK, *options) == 1
    assert "max_n must be at most" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == [corpus.name]


def test_one_thread_is_the_default(corpus: Path, tmp_path: Path) -> None:
    import torch

    before = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        out = tmp_path / "model.safetensors"
        assert call("--corpus", corpus, "--out", out, "--dim", 4, "--epochs", 1) == 0
        assert torch.get_num_threads() == 1
    finally:
        torch.set_num_threads(before)
