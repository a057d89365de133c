import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from every_kind.encoder_checks import (
    check_batch,
    check_cache,
    check_copies,
    check_equations,
    check_hostile_text,
    check_save_and_load,
)
from models.lamp_tables import DIM, HOSTILE_TEXTS, ROTATED_TEXTS, TEXT_LISTS, TOKENS, make_table
from pocketintent import IntentRecognizer
from pocketintent.compression.background import add_background
from pocketintent.compression.codebooks import fit_quantizer
from pocketintent.compression.quantise import add_template_quantizer
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.encoders.sequence import MAX_TOKENS
from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.files.model_file import save_model
from pocketintent_lab.encoders.infersent.encoder import InferSentEncoder
from random_lstms import random_lstm

HIDDEN = 6
CORPUS = ["turn on the lamp", "play music", "light the lamp", "pizza on the music"] * 5


def make(ngrams: bool = True, quantised: bool = False, int8: bool = False) -> InferSentEncoder:
    network = random_lstm(DIM, np.random.default_rng(2), hidden=HIDDEN, int8=int8)
    return InferSentEncoder(make_table(ngrams, quantised), network)


def logistic(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def plain_states(encoder: InferSentEncoder, tokens: list[np.ndarray], direction: str) -> np.ndarray:
    """The states of one direction in float64, one step after the other."""
    weights = {k: v.astype(np.float64) for k, v in encoder.network.weights.decode().items()}
    prefix = f"layers.0.{direction}"
    state, memory = np.zeros(HIDDEN), np.zeros(HIDDEN)
    states = []
    for token in tokens if direction == "forward" else tokens[::-1]:
        gates = weights[f"{prefix}.input"] @ token + weights[f"{prefix}.recurrent"] @ state
        write, keep, cell, out = np.split(gates + weights[f"{prefix}.bias"], 4)
        memory = logistic(keep) * memory + logistic(write) * np.tanh(cell)
        state = logistic(out) * np.tanh(memory)
        states.append(state)
    return np.array(states)


def plain_vector(encoder: InferSentEncoder, text: str) -> np.ndarray:
    """The equations of docs/infersent.md in float64."""
    rows = [encoder.table.embed_tokens([token]) for token in encoder.tokenize(text)]
    tokens = [row[0].astype(np.float64) for row in rows if len(row)][:MAX_TOKENS]
    if not tokens:
        return np.zeros(encoder.dim)
    directions = [plain_states(encoder, tokens, name) for name in ("forward", "backward")]
    pooled = np.concatenate([states.max(axis=0) for states in directions])
    return pooled / np.linalg.norm(pooled)


@pytest.mark.parametrize("ngrams", [False, True])
@pytest.mark.parametrize("quantised", [False, True])
@given(texts=TEXT_LISTS)
@settings(max_examples=20)
def test_the_vectors_are_those_of_the_equations(
    ngrams: bool, quantised: bool, texts: list[str]
) -> None:
    check_equations(make(ngrams, quantised, int8=quantised), plain_vector, texts)


def test_a_large_batch_gives_the_vectors_of_single_texts() -> None:
    rng = np.random.default_rng(5)
    texts = [" ".join(rng.choice(TOKENS, rng.integers(0, 40))) for _ in range(150)]
    check_batch(make(), texts)


def test_the_order_of_the_words_counts() -> None:
    one, other = make().encode_batch(["turn on the lamp", "lamp on the turn"])
    assert one @ other < 0.999


def test_unknown_words_are_left_out_without_ngrams() -> None:
    encoder = make(ngrams=False)
    np.testing.assert_array_equal(encoder.encode("lamp zzz on"), encoder.encode("lamp on"))
    assert not np.allclose(make().encode("lamp zzz on"), make().encode("lamp on"))


@pytest.mark.parametrize("ngrams", [False, True])
@pytest.mark.parametrize("text", HOSTILE_TEXTS, ids=range(len(HOSTILE_TEXTS)))
def test_hostile_texts_have_finite_vectors(text: str, ngrams: bool) -> None:
    check_hostile_text(make(ngrams), text)


def test_tokens_beyond_the_limit_are_ignored() -> None:
    encoder = make(ngrams=False)
    limit = "lamp zzz on " * (MAX_TOKENS // 2)
    np.testing.assert_array_equal(encoder.encode(limit + " pizza"), encoder.encode(limit))
    shorter = limit.rsplit(maxsplit=1)[0]
    assert not np.array_equal(encoder.encode(limit), encoder.encode(shorter))


def test_an_empty_batch_has_no_rows() -> None:
    assert make().encode_batch([]).shape == (0, 2 * HIDDEN)
    assert not make(ngrams=False).encode_batch(["", "zzz"]).any()


@pytest.mark.parametrize("ngrams", [False, True])
def test_a_token_is_embedded_as_a_text_of_one_word(ngrams: bool) -> None:
    encoder = make(ngrams)
    tokens = ["lamp", "zzz", "um", "on"]
    vectors = encoder.embed_tokens(tokens)
    known = tokens if ngrams else ["lamp", "um", "on"]
    assert vectors.shape == (len(known), encoder.dim)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    np.testing.assert_allclose(vectors / lengths, encoder.encode_batch(known), atol=1e-6)
    assert encoder.embed_tokens([]).shape == (0, encoder.dim)


@pytest.mark.parametrize("int8", [False, True])
def test_it_is_saved_and_loaded(int8: bool, tmp_path: Path) -> None:
    encoder = make(quantised=True, int8=int8)
    encoder = add_background(add_template_quantizer(encoder, CORPUS), CORPUS)
    loaded = check_save_and_load(encoder, tmp_path, ["turn on the lamp", "lmap", ""])
    assert loaded.dim == 2 * HIDDEN
    assert loaded.manifest["training"] == 1
    assert loaded.network.format == ("int8" if int8 else "float32")
    assert loaded.template_quantizer is not None and loaded.background is not None


def test_parts_of_other_dimensions_are_refused() -> None:
    network = random_lstm(7, np.random.default_rng(0))
    with pytest.raises(ModelFileError, match="the words have 8 dimensions and the network reads"):
        InferSentEncoder(make_table(), network)
    quantizer = fit_quantizer(np.eye(8, dtype=np.float32), sub_dim=2, codebook_size=2)
    with pytest.raises(ModelFileError, match="the template codebook has 8 dimensions"):
        make().replace(template_quantizer=quantizer)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (None, "must have word_dim, hidden and weights"),
        ({"hidden": 0}, "hidden of the network must be a whole number from 1"),
        ({"hidden": 2.5}, "hidden of the network must be a whole number from 1"),
        ({"word_dim": 1 << 20}, "word_dim of the network must be a whole number from 1"),
        ({"word_dim": 60_000, "hidden": 30_000}, "numbers in memory"),
        ({"hidden": 5}, "requires shape .20, 8."),
        ({"word_dim": 7}, "requires shape .24, 7."),
        ({"weights": {"format": "int4"}}, "must name a format"),
        ({"weights": {"format": "int8"}}, "codes or network.*|is missing"),
    ],
)
def test_a_damaged_network_is_refused_with_the_name_of_the_file(
    change: dict[str, Any] | None, message: str, tmp_path: Path
) -> None:
    manifest, tensors = make().to_model_file_parts()
    network = None if change is None else {**manifest["network"], **change}
    path = tmp_path / "model.safetensors"
    save_model(path, {**manifest, "network": network}, tensors)
    with pytest.raises(ModelFileError, match=rf"model\.safetensors: .*{message}"):
        load_encoder(path)


def test_other_dimensions_than_those_of_the_network_are_refused(tmp_path: Path) -> None:
    manifest, tensors = make().to_model_file_parts()
    path = tmp_path / "model.safetensors"
    save_model(path, {**manifest, "dim": 8}, tensors)
    with pytest.raises(ModelFileError, match=r"has dim 8, but the network returns 12 dimensions"):
        load_encoder(path)


def test_parts_of_the_table_are_replaced() -> None:
    encoder = make()
    plain = encoder.replace(ngrams=None, manifest={"a": 1})
    assert plain.table.ngrams is None
    assert plain.manifest == {"a": 1} and plain.network is encoder.network
    with pytest.raises(TypeError):
        encoder.replace(heads=3)


def test_copies_give_the_same_vectors() -> None:
    encoder = make()
    check_copies(encoder, ["turn on the lamp", "lmap", ""])
    assert repr(encoder) == "<InferSentEncoder: kind infersent, 12 dimensions, 9 words>"


def test_a_recogniser_matches_and_explains() -> None:
    templates = {"on": ["turn on the lamp", "light on"], "play": ["play music"]}
    recognizer = IntentRecognizer(make(), templates)
    assert recognizer.match("turn on the lamp").nearest == "on"
    assert recognizer.match("play music").nearest == "play"
    explanation = recognizer.explain("turn on the lamp")
    assert [word.word for word in explanation.words] == ["turn", "on", "the", "lamp"]
    assert all(np.isfinite(word.share) for word in explanation.words)


def test_the_cache_of_words_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    check_cache(make, ROTATED_TEXTS, monkeypatch)


def test_a_batch_of_real_texts_agrees_with_its_texts_one_by_one(data_dir: Path) -> None:
    path = data_dir / "intents" / "clinc150" / "train.jsonl"
    texts = [json.loads(line)["text"] for line in path.read_text("utf-8").splitlines()[::200]]
    check_batch(make(), texts)
