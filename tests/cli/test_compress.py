from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pocketintent.cli import compress, compress_sweep
from pocketintent.runtime.encoders import StaticEncoder, load_encoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.model_file import load_model, save_model
from pocketintent.runtime.quantizer import DenseMatrix
from pocketintent.runtime.vocabulary import Vocabulary

NOUNS = ["lamp", "light", "music", "song", "pizza", "burger", "taxi", "hotel"]
VERBS = ["play", "stop", "order", "book", "switch", "dim", "find", "cancel"]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    words = [f"rare{letter}" for letter in "abcdefgh"] + NOUNS + VERBS
    vectors = rng.standard_normal((len(words), 12), dtype=np.float32)
    encoder = StaticEncoder(Vocabulary(words), DenseMatrix(vectors))
    manifest, tensors = encoder.to_model_file_parts()
    counts = np.array([1] * 8 + [50] * 8 + [40] * 8, dtype=np.uint32)
    path = tmp_path / "model.safetensors"
    save_model(path, manifest, tensors | {"vocabulary.counts": counts})
    return path


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.txt"
    path.write_text("".join(f"{verb} {noun}\n" for verb in VERBS for noun in NOUNS))
    return path


@pytest.fixture
def data(tmp_path: Path) -> Path:
    pairs = [
        {"a": f"{verb} {noun}", "b": f"{verb} {NOUNS[0]}", "score": 5 if noun == NOUNS[0] else 1}
        for verb in VERBS
        for noun in NOUNS
    ]
    (tmp_path / "sts.jsonl").write_text("\n".join(map(json.dumps, pairs)))
    folder = tmp_path / "commands"
    folder.mkdir()
    rows = [
        json.dumps({"text": f"{verb} {noun}", "intent": verb}) for verb in VERBS for noun in NOUNS
    ]
    for split in ("train", "valid", "test"):
        (folder / f"{split}.jsonl").write_text("\n".join(rows))
    return tmp_path


def call(*argv: Any) -> int:
    parser = argparse.ArgumentParser()
    subparsers = parser.add_subparsers(required=True)
    compress.add_parser(subparsers)
    compress_sweep.add_parser(subparsers)
    args = parser.parse_args([str(argument) for argument in argv])
    status: int = args.run(args)
    return status


SMALL = ("--sub-dim", 3, "--codebook-size", 8)


def test_the_report_gives_sizes_and_the_model_loads(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "small.safetensors"
    assert call("compress", model, "--out", out, "--keep", 16, *SMALL) == 0
    printed = capsys.readouterr()
    report = json.loads(printed.out)
    assert report["words"] == {"before": 24, "after": 16}
    assert report["bytes"]["file"] == out.stat().st_size
    assert report["float32_bytes"] == 16 * 12 * 4
    assert "quality" not in report
    assert "fit words: 4/4" in printed.err
    encoder = load_encoder(out)
    assert isinstance(encoder, StaticEncoder)
    assert encoder.vocabulary.words == NOUNS + VERBS
    assert load_model(out).manifest["compression"]["keep"] == 16


def test_quality_is_reported_before_pruned_and_after(
    model: Path, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = data / "small.safetensors"
    probe = ("--sts", data / "sts.jsonl", "--intents", data / "commands", "--shots", "2,4")
    assert call("compress", model, "--out", out, "--keep", 16, *SMALL, *probe) == 0
    quality = json.loads(capsys.readouterr().out)["quality"]
    for stage in ("before", "pruned", "after"):
        assert 0 < quality[stage]["sts"]["pearson"] <= 1
        accuracy = quality[stage]["intents"]["commands"]["accuracy"]
        assert accuracy.keys() == {"2", "4"}
        assert accuracy["2"].keys() == {"nearest", "nearest+centroid"}
    lost = quality["lost_by_quantisation"]["sts"]["pearson"]
    pruned, after = quality["pruned"]["sts"]["pearson"], quality["after"]["sts"]["pearson"]
    assert lost == pytest.approx(pruned - after)
    assert load_model(out).manifest["quality"] == quality["after"]


def test_pruning_by_norm_covers_the_corpus_and_a_template_codebook_is_fitted(
    model: Path, corpus: Path, tmp_path: Path
) -> None:
    out = tmp_path / "small.safetensors"
    pruning = ("--keep", 12, "--prune", "norm", "--corpus", corpus)
    assert call("compress", model, "--out", out, *pruning, *SMALL) == 0
    encoder = load_encoder(out)
    assert isinstance(encoder, StaticEncoder)
    assert len(encoder.vocabulary) == 12
    assert encoder.encode_batch(corpus.read_text().splitlines()).any(axis=1).all()
    assert encoder.template_quantizer is not None
    assert encoder.template_quantizer.dim == 12


def test_variants_are_chosen_by_options(model: Path, tmp_path: Path) -> None:
    out = tmp_path / "small.safetensors"
    options = ("--shared-codebook", "--no-normalise", "--no-rotate")
    assert call("compress", model, "--out", out, *SMALL, *options) == 0
    assert load_model(out).manifest["compression"]["rotate"] is False
    settings = load_model(out).manifest["words"]
    assert (settings["per_position"], settings["normalised"]) == (False, False)


def test_one_seed_gives_one_file(model: Path, tmp_path: Path) -> None:
    outs = [tmp_path / f"{number}.safetensors" for number in range(2)]
    for out in outs:
        call("compress", model, "--out", out, *SMALL, "--seed", 3)
    assert outs[0].read_bytes() == outs[1].read_bytes()


def test_a_model_can_be_replaced_by_its_compressed_self(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = model.stat().st_size
    assert call("compress", model, "--out", model, *SMALL) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["bytes_before"]["file"] == before
    assert report["bytes"]["file"] == model.stat().st_size


def test_without_counts_the_order_of_the_words_decides(model: Path, tmp_path: Path) -> None:
    encoder = load_encoder(model)
    assert isinstance(encoder, StaticEncoder)
    save_model(model, *encoder.to_model_file_parts())
    out = tmp_path / "small.safetensors"
    assert call("compress", model, "--out", out, "--keep", 8, *SMALL) == 0
    small = load_encoder(out)
    assert isinstance(small, StaticEncoder)
    assert small.vocabulary.words == [f"rare{letter}" for letter in "abcdefgh"]


def test_norm_pruning_without_corpus_or_keep_is_refused(model: Path, tmp_path: Path) -> None:
    with pytest.raises(PocketIntentError, match="needs --keep and --corpus"):
        call("compress", model, "--out", tmp_path / "x", "--prune", "norm", "--keep", 3)


def test_counts_that_do_not_fit_the_vocabulary_are_refused(model: Path, tmp_path: Path) -> None:
    content = load_model(model)
    tensors = dict(content.tensors) | {"vocabulary.counts": np.ones(3, dtype=np.uint32)}
    save_model(model, content.manifest, tensors)
    with pytest.raises(PocketIntentError, match=r"vocabulary\.counts must be 24 whole numbers"):
        call("compress", model, "--out", tmp_path / "x")


def test_the_sweep_writes_table_csv_and_plot_and_resumes(
    model: Path, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    out = data / "sweep"
    grid = ("--sub-dims", "2,3", "--codebook-sizes", "4,8", "--sts", data / "sts.jsonl")
    assert call("compress-sweep", model, *grid, "--out", out) == 0
    printed = capsys.readouterr()
    assert len(json.loads(printed.out)["cells"]) == 16
    assert "16/16 rotated sub_dim 3 codebook 8" in printed.err
    for name in ("sweep.json", "sweep.csv", "sweep.png"):
        assert (out / name).stat().st_size > 0
    assert call("compress-sweep", model, *grid, "--out", out) == 0
    assert "16/16" not in capsys.readouterr().err


def test_a_sweep_without_anything_to_measure_is_refused(model: Path, tmp_path: Path) -> None:
    with pytest.raises(PocketIntentError, match="needs --sts FILE or --intents DIR"):
        call("compress-sweep", model, "--out", tmp_path / "sweep")
