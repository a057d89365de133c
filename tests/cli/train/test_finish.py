import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
from commands.command_ends import ending
from commands.settings_files import settings_file
from pocketintent.cli.main import main
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.files.model_file import load_model, save_model
from pocketintent.training.vectors.reading import read_vectors
from pocketintent.training.vectors.table import to_encoder


def train(corpus: Path, out: Path, *more: str) -> None:
    options = ["--dim", "4", "--epochs", "2", "--threads", "1", *more]
    assert main(["train", "starspace", "--corpus", str(corpus), "--out", str(out), *options]) == 0


def test_a_finished_model_has_a_vector_for_unknown_words(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trained, finished = tmp_path / "trained.safetensors", tmp_path / "finished.safetensors"
    train(corpus, trained)
    capsys.readouterr()
    options = ["--trained-dim", "3", "--subword-dim", "16", *settings_file(num_buckets=64)]
    assert main(["train", "finish", str(trained), "--out", str(finished), *options]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["dim"], record["words"]) == (19, 8)
    encoder = load_encoder(finished)
    assert encoder.encode("jazzy").any()
    assert not load_encoder(trained).encode("jazzy").any()
    manifest = load_model(finished).manifest
    assert manifest["finish"]["subword_dim"] == 16
    assert manifest["training"]["method"] == "starspace"


def test_the_languages_of_a_model_are_kept_by_finishing_and_compressing(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = [tmp_path / f"{name}.safetensors" for name in ("trained", "finished", "small")]
    trained, finished, small = paths
    train(corpus, trained, "--language", "en", "--language", "pt-BR")
    finish = ["--subword-dim", "4", *settings_file(num_buckets=64)]
    assert main(["train", "finish", str(trained), "--out", str(finished), *finish]) == 0
    codes = ["--sub-dim", "4", "--codebook-size", "4", "--no-ngrams"]
    assert main(["compress", str(finished), "--out", str(small), *codes]) == 0
    assert [load_model(path).manifest["languages"] for path in paths] == [["en", "pt-BR"]] * 3


def test_finishing_twice_is_refused_and_names_the_reason(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "model.safetensors"
    train(corpus, model)
    finish = ["train", "finish", str(model), "--out", str(model), *settings_file(num_buckets=64)]
    assert main(finish) == 0
    assert main(finish) == 1
    assert "finished already; finish the model it was made from" in capsys.readouterr().err


def test_more_dimensions_than_the_model_has_are_refused(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, finished = tmp_path / "model.safetensors", tmp_path / "finished.safetensors"
    train(corpus, model)
    finish = ["train", "finish", str(model), "--out", str(finished), *settings_file(num_buckets=64)]
    assert main([*finish, "--trained-dim", "5"]) == 1
    assert "--trained-dim 5 is more than the 4 dimensions of" in capsys.readouterr().err
    assert not finished.exists()
    assert main([*finish, "--trained-dim", "4"]) == main(finish) == 0


def test_finish_counts_the_words_of_imported_vectors_in_a_corpus(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    vectors, model = tmp_path / "glove.txt", tmp_path / "glove.safetensors"
    vectors.write_text("the 1 0 0\njazz 0 1 0\nzebra 0 0 1\n")
    finished = tmp_path / "finished.safetensors"
    save_model(model, *to_encoder(read_vectors(vectors)).to_model_file_parts())
    options = ["--out", str(finished), "--trained-dim", "0", "--subword-dim", "0"]
    capsys.readouterr()
    assert main(["train", "finish", str(model), *options]) == 1
    assert "how frequent its words are; give --corpus" in capsys.readouterr().err
    assert main(["train", "finish", str(model), *options, "--corpus", str(corpus)]) == 0
    counts = load_model(finished).tensors["vocabulary.counts"]
    assert counts.tolist() == [12, 3, 0]


@pytest.mark.parametrize("power", [math.nan, math.inf, 1e300])
def test_no_model_of_nan_is_written(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], power: float
) -> None:
    trained, finished = tmp_path / "trained.safetensors", tmp_path / "finished.safetensors"
    train(corpus, trained)
    finish = ["train", "finish", str(trained), "--out", str(finished), "--trained-dim", "0"]
    path = tmp_path / "finish.toml"
    path.write_text(f"norm_power = {power}")
    ending(lambda: main([*finish, "--settings", str(path)]))
    if finished.exists():
        assert np.isfinite(load_encoder(finished).encode("play the jazz")).all()
    else:
        assert re.search("norm[-_]power", capsys.readouterr().err)


def test_a_pooling_of_sentences_without_a_corpus_is_bad_input(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "model.safetensors"
    train(corpus, model)
    assert main(["train", "finish", str(model), "--out", str(model), "--pooling", "sif"]) == 1
    assert "give a corpus (--corpus)" in capsys.readouterr().err
