"""A model of kind ``contextual`` in every command that takes a model."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from models.random_contexts import random_context
from pocketintent import IntentRecognizer, load_encoder
from pocketintent.cli.main import main
from pocketintent.runtime.encoders.contextual.encoder import ContextualEncoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.files.model_file import save_model
from pocketintent.runtime.quantization.matrices import DenseMatrix, Int8Matrix
from pocketintent.runtime.text.ngrams import NgramSettings

TEMPLATES = {
    "lights_on": ["turn on the light", "lamp on please"],
    "lights_off": ["turn off the light", "lamp off please"],
    "music": ["play some jazz", "hear music"],
}


@pytest.fixture
def model(tiny_encoder: StaticEncoder, tmp_path: Path) -> Path:
    """A model in floats, as training saves it."""
    rng = np.random.default_rng(4)
    table = tiny_encoder.replace(
        ngrams=DenseMatrix(rng.normal(0, 0.1, (64, 32)).astype(np.float32)),
        ngram_settings=NgramSettings(2, 3, 64),
        counts=np.arange(len(tiny_encoder.vocabulary), 0, -1, dtype=np.uint32),
        manifest={"training": {"seed": 1}, "quality": {"old": 1.0}},
    )
    path = tmp_path / "model.safetensors"
    network = random_context(32, rng, scale=0.1)
    save_model(path, *ContextualEncoder(table, network).to_model_file_parts())
    return path


@pytest.fixture
def templates(tmp_path: Path) -> Path:
    path = tmp_path / "templates.json"
    path.write_text(json.dumps(TEMPLATES), encoding="utf-8")
    return path


def read(path: Path) -> ContextualEncoder:
    encoder = load_encoder(path)
    assert isinstance(encoder, ContextualEncoder)
    return encoder


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    """The last JSON line that a command prints."""
    capsys.readouterr()
    assert main([str(argument) for argument in arguments]) == 0
    report: dict[str, Any] = json.loads(capsys.readouterr().out.splitlines()[-1])
    return report


def compress(
    capsys: pytest.CaptureFixture[str], model: Path, out: Path, *options: object
) -> dict[str, Any]:
    quantiser = ("--sub-dim", 4, "--codebook-size", 64)
    return run(capsys, "compress", model, "--out", out, *quantiser, *options)


def test_it_is_compressed_and_reported(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "small.safetensors"

    report = compress(capsys, model, out, "--keep", 30)

    small = read(out)
    words = len(read(model).vocabulary)
    assert report["words"] == {"before": words, "after": 30}
    assert report["settings"]["rotate"] is True
    assert small.network.format == "int8"
    assert small.manifest["training"] == {"seed": 1}
    assert "quality" not in small.manifest
    assert report["bytes"]["network"] == sum(
        array.codes.nbytes + array.scales.nbytes if isinstance(array, Int8Matrix) else array.nbytes
        for array in small.network.arrays.values()
    )
    assert report["bytes"]["codes"] == 30 * 32 // 4 * 6 // 8
    assert report["bytes"]["ngrams"] > 0
    texts = ["turn on light lamp", "lamp on please", "zzz"]
    before, after = read(model).encode_batch(texts), small.encode_batch(texts)
    np.testing.assert_allclose(after @ after.T, before @ before.T, atol=0.15)


def test_words_of_codes_keep_them_when_the_network_alone_is_quantised(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small, mixed, out = (tmp_path / f"{name}.safetensors" for name in ("small", "mixed", "out"))
    compress(capsys, model, small)
    network = random_context(32, np.random.default_rng(6), scale=0.1)
    save_model(mixed, *read(small).replace(network=network).to_model_file_parts())

    report = run(capsys, "compress", mixed, "--out", out)

    assert report["codes_kept"] is True
    assert read(out).network.format == "int8"
    before, after = read(mixed).table.tables(), read(out).table.tables()
    for name, table in before.items():
        np.testing.assert_array_equal(after[name].decode(), table.decode())
    assert main(["compress", str(out), "--out", str(tmp_path / "again.safetensors")]) == 1
    assert "already quantised" in capsys.readouterr().err


def test_ngrams_are_left_out(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "small.safetensors"
    report = compress(capsys, model, out, "--no-ngrams")
    assert report["bytes"]["ngrams"] == 0
    assert not read(out).encode("zzz").any()


def test_a_corpus_adds_a_codebook_and_a_background(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus, out = tmp_path / "corpus.txt", tmp_path / "small.safetensors"
    lines = [text for texts in TEMPLATES.values() for text in texts]
    corpus.write_text("".join(f"{line} {other}\n" for line in lines for other in lines))
    compress(capsys, model, out, "--corpus", corpus)
    small = read(out)
    assert small.template_quantizer is not None
    assert small.background is not None


def test_a_bot_of_fewer_words_is_built_and_matched(
    model: Path, templates: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small, bot = tmp_path / "small.safetensors", tmp_path / "bot.safetensors"
    compress(capsys, model, small)

    report = run(capsys, "build", templates, "--model", small, "--max-words", 2, "--out", bot)

    assert report["words"]["after"] < report["words"]["before"]
    assert report["bytes"]["network"] > 0
    built, whole = IntentRecognizer.load(bot), IntentRecognizer.load(templates, small)
    for text in ("please turn the lamp off", "hear some jazz", "zzz"):
        assert built.match(text).nearest == whole.match(text).nearest
    built.add_intent("food", ["order a pizza"])
    assert built.match("order a pizza").nearest == "food"


def test_it_is_evaluated(model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pairs = [("turn the light on", "lamp on", 5), ("play jazz", "hear music", 4), ("hi", "eat", 0)]
    lines = [json.dumps({"a": a, "b": b, "score": score}) for a, b, score in pairs]
    sts = tmp_path / "sts.jsonl"
    sts.write_text("\n".join(lines), encoding="utf-8")
    folder = tmp_path / "intents"
    folder.mkdir()
    rows = [{"text": text, "intent": name} for name, texts in TEMPLATES.items() for text in texts]
    for split in ("train", "test"):
        content = "\n".join(map(json.dumps, rows))
        (folder / f"{split}.jsonl").write_text(content, encoding="utf-8")

    assert run(capsys, "evaluate", "sts", sts, "--model", model)["pairs"] == 3
    intents = run(
        capsys, "evaluate", "intents", folder, "--model", model, "--shots", 2, "--runs", 1
    )
    assert intents["results"][0]["accuracy"]["mean"] == 1
