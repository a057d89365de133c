import json
from dataclasses import fields
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")
from pocketintent.cli.main import build_parser, main
from pocketintent.cli.options.settings import read_settings
from pocketintent.training.vectors.reading import read_vectors
from pocketintent_lab.training.masked_lm.settings import MaskedLmSettings

QUICK = "--layers 1 --dim 4 --heads 1 --hidden 4 --vocabulary 60 --epochs 1 --validation 0"


def test_a_trained_model_makes_neural_embeddings_for_targets(
    corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, targets = tmp_path / "bert", tmp_path / "targets.tsv"
    command = ["train", "masked-lm", "--corpus", str(corpus), "--out", str(out), *QUICK.split()]
    assert main(command) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["out"], record["method"]) == (str(out), "masked-lm")
    texts = tmp_path / "texts.txt"
    texts.write_text("play the song\nstop the music\n")
    teacher = tmp_path / "neural.toml"
    teacher.write_text('kind = "neural"\nmodel = "bert"\ntuning_epochs = 2\n')
    options = ["--teacher", str(teacher), "--texts", str(texts), "--out", str(targets)]
    assert main(["train", "targets", *options]) == 0
    vectors = read_vectors(targets)
    assert (vectors.terms, vectors.dim) == (["play the song", "stop the music"], 12)
    assert main(["train", "targets", *options, "--precision", "bfloat16"]) == 1
    assert "require --precision float32" in capsys.readouterr().err


def test_every_setting_has_an_option_with_its_default() -> None:
    args = build_parser().parse_args(["train", "masked-lm", "--corpus", "c", "--out", "o"])
    assert read_settings(args, MaskedLmSettings) == MaskedLmSettings()
    assert all(field.name in args for field in fields(MaskedLmSettings))
