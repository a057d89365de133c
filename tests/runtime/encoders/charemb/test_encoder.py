from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.robustness.hostile_files.models import Parts, seal
from models.random_networks import random_network
from plain_transformer import PlainMean
from pocketintent import IntentRecognizer
from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.charemb.encoder import CharEncoder
from pocketintent.runtime.encoders.charemb.network import CharNetwork
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.errors import ModelFileError, PocketIntentError
from pocketintent.runtime.files.model_file import save_model
from pocketintent.runtime.text.characters import CharVocabulary

CHARACTERS = " 'abcdefghijklmnopqrstuvwxyz"
SMALL = CharNetwork(dim=6, char_dim=4, hidden=4, layers=2, mlp=5, heads=2)
NETWORKS = [
    SMALL,
    replace(SMALL, bidirectional=False, norm=False),
    replace(SMALL, cell="gru"),
    replace(SMALL, cell="gru", layers=1, bidirectional=False),
    replace(SMALL, cell="transformer"),
]
HOSTILE = ["", " ", "\0", "🙂", "日本", "!?", "_", "\ud800", "\u200d"]
TEXTS = st.lists(st.text(st.sampled_from("turn on_É日🙂\0x"), max_size=20), max_size=6)


def make(network: CharNetwork = SMALL, **options: Any) -> CharEncoder:
    rng = np.random.default_rng(0)
    vocabulary = CharVocabulary(CHARACTERS, max_chars=options.pop("max_chars", 32))
    return random_network(network, vocabulary, rng, int8=True, **options)


def sigmoid(x: FloatArray) -> FloatArray:
    result: FloatArray = 1 / (1 + np.exp(-x))
    return result


def plain_recurrent(encoder: CharEncoder, text: str) -> FloatArray:
    """The network of docs/charemb.md, one character and one gate at a time."""
    weights, network = encoder.weights.decode(), encoder.network
    numbers = encoder.vocabulary.numbers(text)
    inputs = [weights["embedding"][number] for number in numbers]
    finals: list[FloatArray] = []
    for layer in range(network.layers):
        outputs, finals = [], []
        for direction in network.directions:
            w = {
                part: weights[f"layers.{layer}.{direction}.{part}"]
                for part in ("input", "recurrent", "bias", "recurrent_bias")
                if f"layers.{layer}.{direction}.{part}" in weights
            }
            h = c = np.zeros(network.hidden, np.float32)
            states = []
            for x in inputs if direction == "forward" else inputs[::-1]:
                from_x, from_h = w["input"] @ x + w["bias"], w["recurrent"] @ h
                if network.cell == "lstm":
                    i, f, g, o = np.split(from_x + from_h, 4)
                    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
                    h = sigmoid(o) * np.tanh(c)
                else:
                    (rx, zx, nx), (rh, zh, nh) = np.split(from_x, 3), np.split(from_h, 3)
                    z = sigmoid(zx + zh)
                    n = np.tanh(nx + sigmoid(rx + rh) * (nh + w["recurrent_bias"]))
                    h = (1 - z) * n + z * h
                states.append(h)
            finals.append(h)
            outputs.append(states if direction == "forward" else states[::-1])
        inputs = [np.concatenate(parts) for parts in zip(*outputs, strict=True)]
    return plain_output(encoder, np.concatenate(finals))


def plain_transformer(encoder: CharEncoder, text: str) -> FloatArray:
    """The mean of a transformer's states, with normalisation before each part of a layer."""
    weights = encoder.weights.decode()
    network = encoder.network
    read = PlainMean(weights, "", network.layers, network.heads, post_norm=False)
    mean = read(weights["embedding"][encoder.vocabulary.numbers(text)])
    return plain_output(encoder, mean.astype(np.float32))


def plain_output(encoder: CharEncoder, state: FloatArray) -> FloatArray:
    """The vector of a term from the state that the network has read of it."""
    weights, network = encoder.weights.decode(), encoder.network
    middle = np.maximum(weights["mlp.0.weight"] @ state + weights["mlp.0.bias"], 0)
    out = weights["mlp.1.weight"] @ middle + weights["mlp.1.bias"]
    vector: FloatArray = out[: network.dim] / np.linalg.norm(out[: network.dim])
    return vector * np.exp(out[-1]) if network.norm else vector


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("network", NETWORKS, ids=str)
@given(texts=TEXTS)
@settings(max_examples=20)
def test_the_fast_network_equals_the_plain_one(
    network: CharNetwork, wide: bool, texts: list[str]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pocketintent.runtime.encoders.recurrent._WIDE", 1 if wide else 1 << 20)
        encoder = make(network)
    plain = plain_transformer if network.cell == "transformer" else plain_recurrent
    for text, vector in zip(texts, encoder.embed_terms(texts), strict=True):
        if encoder.vocabulary.numbers(text):
            np.testing.assert_allclose(vector, plain(encoder, text), atol=1e-5)
        else:
            assert not vector.any()


@pytest.mark.parametrize("reads", ["text", "words"])
@pytest.mark.parametrize("network", NETWORKS, ids=str)
@given(texts=TEXTS)
@settings(max_examples=15)
def test_a_batch_equals_its_texts_one_by_one(
    network: CharNetwork, reads: Any, texts: list[str]
) -> None:
    encoder = make(network, reads=reads)
    batch = encoder.encode_batch(texts)
    assert batch.dtype == np.float32
    assert batch.shape == (len(texts), 6)
    for row, text in zip(batch, texts, strict=True):
        np.testing.assert_allclose(row, make(network, reads=reads).encode(text), atol=1e-5)


def test_more_texts_than_a_batch_stay_in_order() -> None:
    encoder = make()
    rng = np.random.default_rng(1)
    texts = ["".join(rng.choice(list(CHARACTERS), rng.integers(0, 20))) for _ in range(600)]
    batch = encoder.encode_batch(texts)
    for number in (0, 1, 255, 256, 511, 599):
        np.testing.assert_allclose(batch[number], encoder.encode(texts[number]), atol=1e-5)


def test_words_are_summed_with_the_lengths_that_the_network_predicts() -> None:
    encoder = make(reads="words")
    rows = encoder.embed_terms(["turn", "on"])
    assert np.ptp(np.linalg.norm(rows, axis=1)) > 1e-3
    total = rows[0] + 2 * rows[1]
    expected = total / np.linalg.norm(total)
    np.testing.assert_allclose(encoder.encode("Turn on, on!"), expected, atol=1e-5)


def test_the_cache_of_words_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pocketintent.runtime.encoders.word_cache.WORD_CACHE", 3)
    encoder = make(reads="words")
    texts = ["a b", "b c d", "a b c d e f", "f a", "b", "a b"]
    first = [encoder.encode(text) for text in texts]
    assert 0 < len(encoder._word_vectors) <= 3
    for text, vector in zip(texts, first, strict=True):
        np.testing.assert_allclose(make(reads="words").encode(text), vector, atol=1e-6)


@pytest.mark.parametrize("reads", ["text", "words"])
@pytest.mark.parametrize("text", HOSTILE)
def test_a_text_without_known_characters_is_zeros(text: str, reads: Any) -> None:
    assert not make(reads=reads).encode(text).any()


def test_unknown_characters_change_the_vector_of_known_ones() -> None:
    encoder = make()
    assert encoder.encode("a🙂").any()
    np.testing.assert_array_equal(encoder.encode("a🙂"), encoder.encode("a日"))
    assert np.abs(encoder.encode("a🙂") - encoder.encode("a")).max() > 1e-3


@pytest.mark.parametrize("reads", ["text", "words"])
def test_a_megabyte_is_read_to_the_limit(reads: Any) -> None:
    encoder = make(reads=reads, max_chars=16)
    text = "turn on the light " * 60_000
    vector = encoder.encode(text)
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)
    if reads == "text":
        np.testing.assert_array_equal(vector, encoder.encode(text[:16]))


def test_case_width_and_underscores_make_no_difference() -> None:
    encoder = make()
    for text in (
        "MACHINE learning",
        "machine_learning",
        " machine\tlearning ",
        "ｍachine learning",
    ):
        np.testing.assert_array_equal(encoder.encode(text), encoder.encode("machine learning"))


@pytest.mark.parametrize("network", NETWORKS, ids=str)
def test_an_encoder_is_saved_and_loaded_with_all_its_parts(
    network: CharNetwork, tmp_path: Path
) -> None:
    encoder = make(network, reads="words", manifest={"training": {"seed": 3}})
    path = tmp_path / "model.safetensors"
    save_model(path, *encoder.to_model_file_parts())
    loaded = load_encoder(path)
    assert isinstance(loaded, CharEncoder)
    assert (loaded.reads, loaded.network, loaded.dim) == ("words", network, 6)
    assert loaded.manifest["training"] == {"seed": 3}
    texts = ["turn on", "order food", ""]
    np.testing.assert_array_equal(loaded.encode_batch(texts), encoder.encode_batch(texts))
    save_model(tmp_path / "again.safetensors", *loaded.to_model_file_parts())
    assert (tmp_path / "again.safetensors").read_bytes() == path.read_bytes()


def test_an_altered_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    save_model(path, *make().to_model_file_parts())
    whole = path.read_bytes()
    for place in (len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(ModelFileError):
            load_encoder(path)


def without(key: str) -> Callable[[dict[str, Any]], None]:
    def drop(entries: dict[str, Any]) -> None:
        del entries[key]

    return drop


def put(key: str, value: Any) -> Callable[[dict[str, Any]], None]:
    def replace_entry(entries: dict[str, Any]) -> None:
        if isinstance(value, dict):
            entries[key] = {**entries[key], **value}
        else:
            entries[key] = value

    return replace_entry


BAD_MANIFESTS = [
    (put("dim", 7), "dim"),
    (put("reads", "minds"), "reads must be"),
    (put("reads", ["text"]), "reads must be"),
    (put("characters", 3), "normalisation and max_chars"),
    (put("characters", {"normalisation": "none"}), "unknown normalisation 'none'"),
    (put("characters", {"max_chars": 0}), "max_chars"),
    (put("characters", {"max_chars": True}), "max_chars"),
    (put("tokenizer", {"version": 99}), "tokenizer"),
    (without("tokenizer"), "tokenizer"),
    (without("network"), "network must have"),
    (put("network", {"colour": 1}), "network must have"),
    (put("network", {"cell": "brain"}), "cell must be"),
    (put("network", {"cell": ["lstm"]}), "cell must be"),
    (put("network", {"hidden": 0}), "hidden of the network must be"),
    (put("network", {"hidden": 1 << 40}), "hidden of the network must be"),
    (put("network", {"hidden": 5}), "the network requires"),
    (put("network", {"layers": 1000}), "layers of the network must be .* to 64"),
    (put("network", {"layers": 3}), "missing"),
    (put("network", {"norm": 1}), "norm must be"),
    (put("network", {"cell": "transformer", "heads": 3}), "transformer needs"),
    (put("weights", {"format": "gold"}), "must name a format"),
    (put("weights", {"format": []}), "must name a format"),
    (put("weights", {"format": "float32"}), "no object .embedding"),
]
BAD_TENSORS = [
    (without("characters"), "tensor characters is missing"),
    (put("characters", np.zeros(2, np.uint8)), "uint32"),
    (put("characters", np.array([97, 97], np.uint32)), "twice"),
    (put("characters", np.array([97], np.uint32)), "weight embedding: the network requires"),
    (without("mlp.0.bias"), "mlp.0.bias is missing"),
    (put("mlp.0.bias", np.zeros(4, np.float32)), "mlp.0.bias: the network requires"),
    (put("mlp.0.bias", np.full(5, np.nan, np.float32)), "NaN"),
    (without("embedding.codes"), "embedding.codes"),
    (put("embedding.scales", np.full(29, np.inf, np.float16)), "infinite"),
]


@pytest.mark.parametrize(("change", "message"), BAD_MANIFESTS)
def test_a_manifest_that_does_not_fit_is_refused(
    tmp_path: Path, change: Callable[[dict[str, Any]], None], message: str
) -> None:
    manifest, tensors = make().to_model_file_parts()
    change(manifest)
    path = tmp_path / "model.safetensors"
    save_model(path, manifest, tensors)
    with pytest.raises(PocketIntentError, match=message):
        load_encoder(path)


@pytest.mark.parametrize(("change", "message"), BAD_TENSORS)
def test_tensors_that_do_not_fit_are_refused(
    tmp_path: Path, change: Callable[[dict[str, Any]], None], message: str
) -> None:
    manifest, tensors = make().to_model_file_parts()
    change(tensors)
    path = tmp_path / "model.safetensors"
    path.write_bytes(seal(Parts({**manifest, "format_version": 1}, tensors)))
    with pytest.raises(ModelFileError, match=message):
        load_encoder(path)


def test_a_recogniser_runs_on_a_character_encoder() -> None:
    recognizer = IntentRecognizer(make(), {"lights": ["turn on"], "food": ["order a pizza"]})
    match = recognizer.match("order a pizza")
    assert match.template == "order a pizza"
    assert match.score > 0.5
    assert recognizer.match("🙂").reason == "unknown_words"
