from __future__ import annotations

from pathlib import Path

import numpy as np

from pocketintent.compression.background import add_background
from pocketintent.compression.prune import with_compact_counts
from pocketintent.compression.quantise import add_template_quantizer, quantise_encoder
from pocketintent.compression.report import compare_sizes, size_report
from pocketintent.recognizer import IntentRecognizer
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.files.model_file import save_model
from pocketintent.runtime.quantization.matrices import DenseMatrix
from pocketintent.runtime.text.ngram_counts import NUM_BUCKETS
from pocketintent.runtime.text.ngrams import NgramSettings
from pocketintent.runtime.text.vocabulary import Vocabulary


def make_encoder(num_words: int, dim: int, ngrams: bool = False) -> StaticEncoder:
    rng = np.random.default_rng(0)
    buckets = DenseMatrix(rng.standard_normal((64, dim), dtype=np.float32))
    return StaticEncoder(
        Vocabulary([f"w{number}" for number in range(num_words)]),
        DenseMatrix(rng.standard_normal((num_words, dim), dtype=np.float32)),
        ngrams=buckets if ngrams else None,
        ngram_settings=NgramSettings(3, 4, 64),
    )


def test_every_byte_of_the_file_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "small.safetensors"
    small = quantise_encoder(make_encoder(800, 20, ngrams=True), sub_dim=5, codebook_size=8)
    small = add_template_quantizer(small, ["w w1 w2", "w3"])
    small = add_background(small, ["w w1 w2", "w3"])
    save_model(path, *small.to_model_file_parts())
    sizes = size_report(path)
    assert sizes["codes"] == 800 * 4 * 3 // 8
    assert sizes["codebook"] == 4 * 8 * 5 * 2
    assert sizes["norms"] == 800 * 2
    assert sizes["embedding"] == 0
    assert sizes["vocabulary"] > 0 and sizes["ngrams"] > 0
    assert sizes["templates"] == 256 * 2 * 2
    assert sizes["background"] > NUM_BUCKETS * 2
    assert sizes["file"] == path.stat().st_size
    with path.open("rb") as file:
        assert sizes["rest"] == 8 + int.from_bytes(file.read(8), "little")  # the header alone
    assert sum(sizes.values()) == 2 * sizes["file"]


def test_ratios_are_against_float32_and_against_the_file_before(tmp_path: Path) -> None:
    encoder = make_encoder(3000, 20)
    before, after = tmp_path / "before.safetensors", tmp_path / "after.safetensors"
    save_model(before, *encoder.to_model_file_parts())
    small = quantise_encoder(encoder, sub_dim=5, codebook_size=16)
    save_model(after, *small.to_model_file_parts())
    sizes = compare_sizes(size_report(before), size_report(after), float32_bytes=3000 * 20 * 4)
    assert sizes["bytes_before"]["embedding"] == sizes["float32_bytes"] == 240_000
    vectors = 3000 * 4 // 2 + 4 * 16 * 5 * 2 + 3000 * 2
    assert sizes["ratio"]["vectors"] == 240_000 / vectors
    assert sizes["ratio"]["file"] == before.stat().st_size / after.stat().st_size


def test_fifty_thousand_words_of_300_dimensions_stay_under_two_megabytes(tmp_path: Path) -> None:
    # Words of 8 letters, the mean of the 50,000 most frequent words of the training corpora.
    rng = np.random.default_rng(0)
    alphabet = np.array(list("abcdefghijklmnopqrstuvwxyz"))
    words = {"".join(row) for row in alphabet[rng.integers(0, 26, (51_000, 8))]}
    vocabulary = Vocabulary(sorted(words)[:50_000])
    vectors = rng.standard_normal((50_000, 300), dtype=np.float32)
    counts = np.arange(50_000, 0, -1, np.uint32) ** 2
    encoder = StaticEncoder(vocabulary, DenseMatrix(vectors), counts=counts)
    small = quantise_encoder(encoder, sub_dim=10, codebook_size=128, sample=4096)
    path = tmp_path / "small.safetensors"
    save_model(path, *with_compact_counts(small).to_model_file_parts())
    assert size_report(path)["file"] < 2_000_000


def test_the_parts_of_a_bot_are_a_group(tmp_path: Path) -> None:
    path, bot = tmp_path / "model.safetensors", tmp_path / "bot.safetensors"
    encoder = make_encoder(50, 20, ngrams=True)
    save_model(path, *encoder.to_model_file_parts())
    IntentRecognizer(encoder, {"a": ["w1 w2"], "b": ["w3"]}).save(bot)
    model, sizes = size_report(path), size_report(bot)

    assert sum(sizes.values()) == 2 * sizes["file"] == 2 * bot.stat().st_size
    assert sizes["embedding"] == model["embedding"]
    assert sizes["bot"] > 2 * (20 + 512 + 1) * 4
    assert "bot" not in model


def test_a_bot_and_the_background_of_a_character_network_are_not_of_its_network(
    character_models: dict[str, Path], tmp_path: Path
) -> None:
    path, bot = tmp_path / "model.safetensors", tmp_path / "bot.safetensors"
    encoder = add_background(load_encoder(character_models["words"]), ["play music", "lamp on"])
    save_model(path, *encoder.to_model_file_parts())
    IntentRecognizer(encoder, {"a": ["lamp on"]}).save(bot)
    network = size_report(character_models["words"])["network"]
    model, sizes = size_report(path), size_report(bot)
    assert model["network"] == sizes["network"] == network
    assert model["background"] == sizes["background"] > 0
    assert sizes["rest"] > 0
