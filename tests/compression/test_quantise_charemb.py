from typing import Any

import numpy as np
import pytest

from models.random_networks import random_network
from pocketintent.compression.quantise import quantise_charemb
from pocketintent.runtime.encoders.charemb.encoder import CharEncoder
from pocketintent.runtime.encoders.charemb.network import CharNetwork
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.model_file import load_model, save_model
from pocketintent.runtime.text.characters import CharVocabulary

TEXTS = ["turn on", "lights", "a", "good morning", ""]


@pytest.fixture(scope="module")
def encoder() -> CharEncoder:
    network = CharNetwork(dim=16, char_dim=8, hidden=24, mlp=32)
    vocabulary = CharVocabulary(" abcdefghijklmnopqrstuvwxyz", max_chars=32)
    rng = np.random.default_rng(0)
    manifest = {"training": {"seed": 1}, "quality": {"cosine": 0.5}}
    return random_network(network, vocabulary, rng, scale=0.4, reads="words", manifest=manifest)


@pytest.mark.parametrize(("weights", "least"), [("int8", 0.999), ("codebook", 0.9)])
def test_vectors_stay_near_and_weights_become_smaller(
    encoder: CharEncoder, weights: Any, least: float, tmp_path: Any
) -> None:
    small = quantise_charemb(encoder, weights)
    cosines = (small.encode_batch(TEXTS) * encoder.encode_batch(TEXTS)).sum(axis=1)
    assert cosines[:4].min() > least
    assert not small.encode("").any()
    path = tmp_path / "model.safetensors"
    save_model(path, *small.to_model_file_parts())
    loaded = CharEncoder.from_model_file(load_model(path))
    np.testing.assert_array_equal(loaded.encode_batch(TEXTS), small.encode_batch(TEXTS))
    matrices = {name: matrix.decode() for name, matrix in encoder.weights.matrices.items()}
    stored = sum(
        tensor.nbytes for name, tensor in load_model(path).tensors.items() if name.endswith("codes")
    )
    bits = {"int8": 8, "codebook": 4}[weights]
    assert stored == sum(matrix.size for matrix in matrices.values()) * bits // 8


def test_everything_but_the_weights_and_the_old_quality_is_kept(encoder: CharEncoder) -> None:
    small = quantise_charemb(encoder)
    assert (small.reads, small.network) == ("words", encoder.network)
    assert small.vocabulary is encoder.vocabulary
    assert small.manifest == {"training": {"seed": 1}}
    assert encoder.weights.format == "float32"


def test_decoding_to_float32_loses_nothing_more(encoder: CharEncoder) -> None:
    small = quantise_charemb(encoder)
    wide = quantise_charemb(small, "float32")
    np.testing.assert_array_equal(wide.encode_batch(TEXTS), small.encode_batch(TEXTS))


def test_invalid_settings_are_rejected(encoder: CharEncoder) -> None:
    with pytest.raises(PocketIntentError, match="weights must be one of"):
        quantise_charemb(encoder, "int3")  # type: ignore[arg-type]
    with pytest.raises(PocketIntentError, match="does not divide"):
        quantise_charemb(encoder, "codebook", sub_dim=5, codebook_size=4)
