import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("gensim")
from commands.command_ends import ending
from pocketintent.cli.main import build_parser, main
from pocketintent.cli.options.settings import read_settings
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.files.model_file import load_model
from pocketintent.training.vectors.reading import read_vectors
from pocketintent_lab.training.words.settings import WordSettings

QUICK = ("--dim", 8, "--epochs", 2, "--min-count", 1)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.txt"
    path.write_text("turn on the light\nplay some jazz\nTurn the music on\n" * 20)
    return path


def call(method: str, *argv: Any) -> int:
    return main(["train", method, *map(str, argv)])


def test_training_prints_its_record_and_the_model_serves_other_commands(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, small = tmp_path / "words.safetensors", tmp_path / "small.safetensors"
    language = ("--language", "de-CH")
    assert (
        call("words", "--corpus", corpus, "--out", out, "--method", "fasttext", *QUICK, *language)
        == 0
    )
    printed = capsys.readouterr()
    record = json.loads(printed.out)
    assert printed.out.count("\n") == 1
    assert record.pop("out") == str(out)
    assert load_model(out).manifest["training"] == record
    assert record["settings"]["method"] == "fasttext"
    assert "epoch 2 of 2: learning rate" in printed.err
    pairs = tmp_path / "pairs.jsonl"
    rows = [("turn on", "light", 4.0), ("jazz", "some jazz", 5.0), ("on", "jazz", 0.0)]
    pairs.write_text("\n".join(json.dumps({"a": a, "b": b, "score": s}) for a, b, s in rows))
    assert main(["evaluate", "sts", str(pairs), "--model", str(out)]) == 0
    compress = ["--out", str(small), "--sub-dim", "2", "--codebook-size", "4", "--keep", "5"]
    assert main(["compress", str(out), *compress]) == 0
    assert load_encoder(small).encode("turn").any()
    assert load_model(small).manifest["languages"] == ["de-CH"]


def test_every_setting_has_an_option_with_its_default() -> None:
    args = build_parser().parse_args(["train", "words", "--corpus", "c", "--out", "o"])
    assert read_settings(args, WordSettings) == WordSettings()
    assert all(field.name in args for field in fields(WordSettings))


@pytest.mark.parametrize("name", ["v.txt.gz", "v.bin", "v.tsv", "v.safetensors"])
def test_vectors_of_other_programs_are_converted_to_any_format(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    glove = tmp_path / "glove.txt"
    glove.write_text("the 1 2\nlight 3 4\nmachine_learning 5 6\nrare 7 8\n")
    out = tmp_path / name
    assert call("words", "--from", glove, "--out", out, "--limit", 3) == 0
    printed = capsys.readouterr()
    record = json.loads(printed.out)
    assert (record["vocabulary"], record["dim"]) == (3, 2)
    assert record["vectors"]["file"] == "glove.txt"
    read = read_vectors(out)
    assert read.terms == ["the", "light", "machine_learning"]
    assert read.vectors.tolist() == [[1, 2], [3, 4], [5, 6]]
    if name == "v.safetensors":
        assert "1 of 3 terms are not a single token of the tokenizer 'simple'" in printed.err
        assert load_model(out).manifest["training"]["method"] == "converted"
        assert load_encoder(out).encode("the light").tolist() == pytest.approx(
            [4 / 52**0.5, 6 / 52**0.5]
        )


def test_converted_vectors_get_their_language(tmp_path: Path) -> None:
    glove, out = tmp_path / "glove.txt", tmp_path / "v.safetensors"
    glove.write_text("the 1 2\nlight 3 4\n")
    assert call("words", "--from", glove, "--out", out, "--language", "en") == 0
    assert load_model(out).manifest["languages"] == ["en"]


BAD_INPUT = [
    (("--from", __file__, "--out", "v.bin", "--language", "en"), "requires --out FILE.safetensors"),
    (
        ("--from", __file__, "--language", "German"),
        "argument --language: 'German' is not a language tag",
    ),
    (("--from", "none.txt"), "none.txt: cannot be read"),
    (("--from", __file__, "--resume"), "--terms, --resume and --restart require --corpus"),
    (
        ("--from", __file__, "--dim", 8, "--min-n", 2),
        "--dim, --min-n: only for training",
    ),
    (("--corpus", "none.txt"), "none.txt: cannot be read"),
    (("--corpus", __file__, "--limit", 3), "--limit requires --from"),
    (("--corpus", __file__, "--no-ngrams"), "--no-ngrams requires --from"),
    (("--corpus", __file__, "--out", "v.floret"), "v.floret: a .floret file has floret's n-grams"),
    (("--corpus", "c", "--dim", 0), "argument --dim: must be at least 1, not 0"),
    (("--corpus", __file__, "--out", "nowhere/v.bin"), "there is no folder nowhere"),
]


@pytest.mark.parametrize(("options", "message"), BAD_INPUT, ids=str)
def test_bad_input_ends_with_a_message(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: tuple[Any, ...], message: str
) -> None:
    out = tmp_path / "v.bin"
    assert ending(lambda: call("words", "--out", out, *options)) == (
        2 if message.startswith("argument") else 1
    )
    printed = capsys.readouterr()
    assert message in printed.err.splitlines()[-1]
    assert printed.out == ""
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("argv", [[], ["--corpus", "c", "--from", "v", "--out", "o"]])
def test_a_bad_call_ends_with_status_2(argv: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        call("words", *argv)
    assert caught.value.code == 2


def test_a_model_made_from_a_fasttext_file_knows_its_unknown_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = Path(__file__).parents[2] / "resources/fasttext/words.bin"
    out, plain = tmp_path / "words.safetensors", tmp_path / "plain.safetensors"
    assert call("words", "--from", source, "--out", out) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["ngrams"]["hash"] == "fasttext" and record["ngrams"]["num_buckets"] == 50
    expected = np.array(
        json.loads((source.parent / "vectors.json").read_text())[source.name]["zzz"]
    )
    unit = expected / np.linalg.norm(expected)
    np.testing.assert_allclose(load_encoder(out).encode("zzz"), unit, rtol=1e-5)
    assert call("words", "--from", source, "--out", plain, "--no-ngrams") == 0
    assert json.loads(capsys.readouterr().out)["ngrams"] is None
    assert not load_encoder(plain).encode("zzz").any()
