import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from commands.command_ends import ending
from commands.settings_files import settings_file
from pocketintent.cli.main import main
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.training.vectors.reading import read_vectors


def call(*argv: Any) -> int:
    return main(["train", "targets", *map(str, argv)])


def test_targets_are_the_vectors_of_a_teacher(
    tmp_path: Path,
    tiny_encoder: StaticEncoder,
    tiny_model: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    corpus, terms, out = tmp_path / "a.txt", tmp_path / "t.tsv", tmp_path / "targets.tsv"
    corpus.write_text("turn on the light\n\nplay \t music\nturn on the light\n")
    terms.write_text("term\tscore\tcount\nwarm light\t0.5\t3\nmusic box\t0.4\t2\n")
    sources = ("--texts", corpus, "--terms", terms, "--words", tiny_model)
    assert call("--teacher", tiny_model, *sources, *settings_file(limit=2), "--out", out) == 0
    printed = capsys.readouterr()
    texts = ["light", "lights", "turn on the light", "play music", "warm light", "music box"]
    assert json.loads(printed.out) == {"out": str(out), "texts": 6, "dim": 32}
    assert printed.err.splitlines()[-1] == "texts: 6/6"
    read = read_vectors(out)
    assert read.terms == texts
    np.testing.assert_array_equal(read.vectors, tiny_encoder.encode_batch(texts))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "t.tsv", "targets.tsv"]


def test_texts_that_a_file_cannot_tell_apart_are_encoded_once(
    tmp_path: Path, tiny_model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = tmp_path / "a.txt"
    corpus.write_text("warm light\nmusic\nwarm_light\n")
    for name, terms in (
        ("v.bin", ["warm_light", "music"]),
        ("v.tsv", corpus.read_text().split("\n")[:3]),
    ):
        out = tmp_path / name
        assert call("--teacher", tiny_model, "--texts", corpus, "--out", out) == 0
        assert read_vectors(out).terms == terms
    capsys.readouterr()


BAD_TARGETS = [
    ((), "there are no texts"),
    (("--texts", "blank.txt"), "blank.txt: no text in it"),
    (settings_file(limit=3), "limit requires --words"),
    (("--texts", "none.txt"), "none.txt: cannot be read"),
    (("--threads", 0), "argument --threads: must be at least 1"),
    (("--out", "nowhere/v.tsv"), "there is no folder nowhere"),
]


@pytest.mark.parametrize(("options", "message"), BAD_TARGETS, ids=str)
def test_bad_targets_end_with_a_message(
    tmp_path: Path,
    tiny_model: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    options: tuple[Any, ...],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("blank.txt").touch()
    out = tmp_path / "v.tsv"
    assert ending(lambda: call("--teacher", tiny_model, "--out", out, *options)) == (
        2 if message.startswith("argument") else 1
    )
    assert message in capsys.readouterr().err.splitlines()[-1]
