import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from commands.command_ends import ending
from commands.settings_files import settings_file
from models.random_networks import random_network
from pocketintent import IntentRecognizer
from pocketintent.cli.main import main
from pocketintent.compression.codebooks import encode_matrix, fit_quantizer
from pocketintent.runtime.encoders.charemb.network import CharNetwork
from pocketintent.runtime.encoders.combined import DEFAULT_ATTENTION, CombinedEncoder
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.files.model_file import load_model, save_model
from pocketintent.runtime.files.shipped_models import find_model
from pocketintent.runtime.text.characters import CharVocabulary
from pocketintent.runtime.text.vocabulary import Vocabulary

WORDS = ["lamp", "light", "music", "song", "pizza", "play", "stop", "order", "switch", "dim"]
DIM = 8


@pytest.fixture
def models(tmp_path: Path) -> tuple[Path, Path]:
    rng = np.random.default_rng(1)
    network = CharNetwork(dim=DIM, char_dim=6, hidden=8, mlp=16)
    vocabulary = CharVocabulary(" abcdefghijklmnopqrstuvwxyz", max_chars=16)
    characters = random_network(network, vocabulary, rng)
    vectors = characters.embed_terms(WORDS)
    vectors += rng.normal(0, np.abs(vectors).mean() / 2, vectors.shape).astype(np.float32)
    matrix = encode_matrix(vectors, fit_quantizer(vectors, sub_dim=2, codebook_size=8))
    words, charemb = tmp_path / "words.safetensors", tmp_path / "charemb.safetensors"
    manifest, tensors = StaticEncoder(Vocabulary(WORDS), matrix).to_model_file_parts()
    counts = np.arange(len(WORDS), 0, -1).astype(np.uint32)
    save_model(words, manifest, tensors | {"vocabulary.counts": counts})
    save_model(charemb, *characters.to_model_file_parts())
    return words, charemb


def call(words: Path | str, characters: Path | str, *argv: Any) -> int:
    return main(["compress", str(words), "--characters", str(characters), *map(str, argv)])


def test_words_that_were_compressed_first_are_weighted_by_their_counts(
    models: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words, charemb = models
    small, out = tmp_path / "small.safetensors", tmp_path / "combined.safetensors"
    assert main(["compress", str(words), "--out", str(small), "--keep", "9"]) == 0
    assert call(small, charemb, "--out", out) == 0
    assert load_model(out).manifest["compression"]["count_power"] == 0.5
    without = tmp_path / "without.safetensors"
    save_model(without, *load_encoder(words).replace(counts=None).to_model_file_parts())
    assert call(without, charemb, "--out", out) == 0
    assert load_model(out).manifest["compression"]["count_power"] == 0.0


def test_the_languages_of_the_words_are_kept(models: tuple[Path, Path], tmp_path: Path) -> None:
    words, charemb = models
    manifest, tensors = load_encoder(words).to_model_file_parts()
    save_model(words, manifest | {"languages": ["en"]}, tensors)
    out = tmp_path / "combined.safetensors"
    assert call(words, charemb, "--out", out) == 0
    assert load_encoder(out).manifest["languages"] == ["en"]


def test_the_model_loads_and_the_report_gives_its_sizes(
    models: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "combined.safetensors"
    assert call(*models, "--out", out, "--keep", 8) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["words"] == 8
    assert report["bytes"]["file"] == out.stat().st_size
    assert report["bytes_before"]["charemb"] == models[1].stat().st_size
    assert report["settings"]["blend"] == 0.15
    encoder = load_encoder(out)
    assert isinstance(encoder, CombinedEncoder)
    assert encoder.vocabulary.words == WORDS[:8]
    settings = load_model(out).manifest["combination"]
    assert report["settings"] == settings | {"attention": DEFAULT_ATTENTION.to_manifest()}
    assert report["bytes"]["network"] > report["bytes"]["rest"] > 0
    assert encoder.encode("lmap").any()


def test_quality_is_measured_on_demand(
    models: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, pairs = tmp_path / "combined.safetensors", tmp_path / "sts.jsonl"
    rows = [{"a": word, "b": WORDS[0], "score": number} for number, word in enumerate(WORDS)]
    pairs.write_text("\n".join(map(json.dumps, rows)))
    assert call(*models, "--out", out, "--sts", pairs) == 0
    quality = json.loads(capsys.readouterr().out)["quality"]
    assert quality["sts"]["pairs"] == len(WORDS)
    assert load_model(out).manifest["quality"] == quality


def test_one_seed_gives_one_file(models: tuple[Path, Path], tmp_path: Path) -> None:
    outs = [tmp_path / f"{number}.safetensors" for number in range(2)]
    for out in outs:
        assert call(*models, "--out", out, "--seed", 3) == 0
    assert outs[0].read_bytes() == outs[1].read_bytes()


def test_neither_model_is_overwritten(
    models: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words, charemb = models
    content = words.read_bytes(), charemb.read_bytes()
    taken, misnamed = "is read, and would be", "ends in .safe"
    for out, message in ((words, taken), (charemb, taken), (tmp_path / "x", misnamed)):
        assert ending(lambda out=out: call(words, charemb, "--out", out)) == 2  # type: ignore[misc]
        assert message in capsys.readouterr().err
    assert (words.read_bytes(), charemb.read_bytes()) == content


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--no-ngrams"], "--no-ngrams has no effect with --characters"),
        (["--prune", "norm", "--keep", 2, "--corpus", __file__], "--prune has no effect"),
        (["--runs", 3], "--runs requires --intents"),
    ],
)
def test_options_without_effect_are_bad_usage(
    models: tuple[Path, Path],
    tmp_path: Path,
    options: list[Any],
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "combined.safetensors"
    assert ending(lambda: call(*models, "--out", out, *options)) == 2
    assert message in capsys.readouterr().err


def test_the_settings_of_the_attention_are_those_of_the_file(
    models: tuple[Path, Path], tmp_path: Path
) -> None:
    out = tmp_path / "combined.safetensors"
    assert call(*models, "--out", out, *settings_file(temperature=0.5, attention_words=3)) == 0
    encoder = load_encoder(out)
    assert isinstance(encoder, CombinedEncoder)
    assert encoder.attention == replace(DEFAULT_ATTENTION, temperature=0.5, words=3)
    assert call(*models, "--out", out, *settings_file(attention=0)) == 0
    assert load_encoder(out).attention is None  # type: ignore[attr-defined]


def test_models_of_other_kinds_are_refused(
    models: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words, charemb = models
    out = tmp_path / "combined.safetensors"
    assert call(charemb, words, "--out", out) == 1
    assert "kind 'static'" in capsys.readouterr().err
    assert call(words, words, "--out", out) == 1
    assert "kind 'charemb'" in capsys.readouterr().err
    assert call(words, "tiny", "--out", out) == 1
    assert f"{find_model('tiny')}: " in capsys.readouterr().err
    bot = tmp_path / "bot.safetensors"
    IntentRecognizer.load({"on": ["lamp"]}, words).save(bot)
    assert call(bot, charemb, "--out", out) == 1
    assert f"{bot} is a bot file" in capsys.readouterr().err
    assert ending(lambda: call(words, tmp_path / "none.safetensors", "--out", out)) == 2
    assert "there is no such model file" in capsys.readouterr().err
    assert call(words, charemb, "--out", out, *settings_file(blend=1)) == 1
    assert "line 1: blend must be at least 0 and below 1, not 1.0" in capsys.readouterr().err
    assert not out.exists()
