from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.typing import NDArray

from every_kind.encoder_checks import (
    check_batch,
    check_cache,
    check_copies,
    check_equations,
    check_hostile_text,
    check_save_and_load,
)
from models.lamp_tables import DIM, HOSTILE_TEXTS, ROTATED_TEXTS, TEXT_LISTS, TOKENS, make_table
from models.random_contexts import random_context
from pocketintent import IntentRecognizer
from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.contextual.encoder import ContextualEncoder
from pocketintent.runtime.encoders.contextual.network import decode
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.encoders.sequence import MAX_TOKENS
from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.files.model_file import save_model
from pocketintent.runtime.text.ngrams import NgramSettings


def make(
    ngrams: bool = True, quantised: bool = False, int8: bool = False, **options: Any
) -> ContextualEncoder:
    network = random_context(DIM, np.random.default_rng(2), int8=int8, **options)
    return ContextualEncoder(make_table(ngrams, quantised), network)


def unit(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    length = np.linalg.norm(vector)
    return vector / length if length else vector


def root_mean_square(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return x / np.sqrt(np.mean(x * x) + 1e-6)


def plain_vector(encoder: ContextualEncoder, text: str) -> FloatArray:
    """The equations of docs/contextual.md in float64, one token and one neighbour at a time."""
    network = encoder.network
    inner, outer = decode(network.inner), decode(network.outer)
    rows = [encoder.table.embed_tokens([token]) for token in encoder.tokenize(text)]
    tokens = [row[0].astype(np.float64) for row in rows if len(row)][:MAX_TOKENS]
    normed = [root_mean_square(x) for x in tokens]
    total = np.zeros(DIM)
    for t, x in enumerate(tokens):
        hidden = network.inner_bias.astype(np.float64)
        for place in range(network.width):
            neighbour = t + place - network.width // 2
            if 0 <= neighbour < len(tokens):
                part = inner[:, place * DIM : (place + 1) * DIM]
                hidden = hidden + part @ normed[neighbour]
        hidden = np.maximum(hidden, 0)
        score = network.gate @ normed[t] + network.hidden_gate @ hidden + network.gate_bias
        total += 2 / (1 + np.exp(-score)) * (x + outer @ hidden)
    words = np.sum(tokens, axis=0, initial=0.0)
    return unit(unit(total) + network.word_share * unit(words)).astype(np.float32)


@pytest.mark.parametrize("ngrams", [False, True])
@pytest.mark.parametrize("quantised", [False, True])
@given(texts=TEXT_LISTS)
@settings(max_examples=30)
def test_the_vectors_are_those_of_the_equations(
    ngrams: bool, quantised: bool, texts: list[str]
) -> None:
    check_equations(make(ngrams, quantised, int8=quantised), plain_vector, texts)


@pytest.mark.parametrize("width", [1, 3, 7])
def test_any_width_gives_the_vectors_of_the_equations(width: int) -> None:
    texts = ["turn on the lamp", "lamp", "the music um play lmap light pizza on turn"]
    check_equations(make(width=width), plain_vector, texts)
    check_batch(make(width=width), [*texts, "", *texts[::-1]])


def test_a_large_batch_gives_the_vectors_of_single_texts() -> None:
    rng = np.random.default_rng(5)
    texts = [" ".join(rng.choice(TOKENS, rng.integers(0, 40))) for _ in range(150)]
    check_batch(make(), texts)


def test_the_order_of_the_words_counts() -> None:
    encoder = make()
    one, other = encoder.encode_batch(["turn on the lamp", "lamp on the turn"])
    assert one @ other < 0.999
    table = encoder.table
    assert table.encode("turn on the lamp") @ table.encode("lamp on the turn") > 0.999


def test_a_network_of_zeros_leaves_the_sum_of_the_words() -> None:
    network = random_context(DIM, np.random.default_rng(0), scale=0, word_share=0)
    table = make_table()
    encoder = ContextualEncoder(table, replace(network, gate_bias=0))
    texts = ["turn on the lamp", "play zzz", "um", ""]
    np.testing.assert_allclose(encoder.encode_batch(texts), table.encode_batch(texts), atol=1e-6)


def test_unknown_words_are_left_out_without_ngrams() -> None:
    encoder = make(ngrams=False)
    np.testing.assert_array_equal(encoder.encode("lamp zzz on"), encoder.encode("lamp on"))
    assert not np.allclose(make().encode("lamp zzz on"), make().encode("lamp on"))


@pytest.mark.parametrize("ngrams", [False, True])
@pytest.mark.parametrize("text", HOSTILE_TEXTS, ids=range(len(HOSTILE_TEXTS)))
def test_hostile_texts_have_finite_vectors(text: str, ngrams: bool) -> None:
    check_hostile_text(make(ngrams), text)


@pytest.mark.parametrize("ngrams", [False, True])
def test_tokens_beyond_the_limit_are_ignored(ngrams: bool) -> None:
    encoder = make(ngrams)
    limit = "lamp zzz on " * (MAX_TOKENS // 3 if ngrams else MAX_TOKENS // 2)
    limit += "lamp" if ngrams else ""  # 256 tokens that have a vector
    for text in (limit + " pizza", limit + " pizza music" * 100):
        np.testing.assert_array_equal(encoder.encode(text), encoder.encode(limit))
        np.testing.assert_allclose(
            encoder.encode_batch(["on", text])[1], encoder.encode(limit), atol=1e-6
        )
    shorter = limit.rsplit(maxsplit=1)[0]
    assert not np.array_equal(encoder.encode(limit), encoder.encode(shorter))


def test_an_empty_batch_has_no_rows() -> None:
    assert make().encode_batch([]).shape == (0, DIM)
    assert not make(ngrams=False).encode_batch(["", "zzz"]).any()


def test_the_words_of_the_table_are_known() -> None:
    encoder = make()
    assert encoder.known_words is encoder.table.vocabulary


@pytest.mark.parametrize("int8", [False, True])
def test_it_is_saved_and_loaded(int8: bool, tmp_path: Path) -> None:
    encoder = make(quantised=True, int8=int8)
    loaded = check_save_and_load(encoder, tmp_path, ["turn on the lamp", "lmap", ""])
    assert loaded.manifest["training"] == 1
    assert loaded.network.format == ("int8" if int8 else "float32")


def test_parts_of_other_dimensions_are_refused() -> None:
    with pytest.raises(ModelFileError, match="the words have 8 dimensions and the network reads 6"):
        ContextualEncoder(make_table(), random_context(6, np.random.default_rng(0)))


def test_a_missing_network_is_refused_with_the_name_of_the_file(tmp_path: Path) -> None:
    manifest, tensors = make().to_model_file_parts()
    for key, changed in (("network", None), ("network", {"weights": "int8"})):
        path = tmp_path / "model.safetensors"
        save_model(path, {**manifest, key: changed}, tensors)
        with pytest.raises(ModelFileError, match=r"model\.safetensors: .*network"):
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
    assert repr(encoder) == "<ContextualEncoder: kind contextual, 8 dimensions, 9 words>"


def test_a_recogniser_matches_and_explains() -> None:
    templates = {"on": ["turn on the lamp", "light on"], "play": ["play music"]}
    recognizer = IntentRecognizer(make(), templates)
    assert recognizer.match("please turn on the lamp").nearest == "on"
    assert recognizer.match("play music").nearest == "play"
    explanation = recognizer.explain("turn on the lamp")
    assert [word.word for word in explanation.words] == ["turn", "on", "the", "lamp"]
    assert all(np.isfinite(word.share) for word in explanation.words)


def test_ngrams_without_weight_are_refused() -> None:
    table = make_table().replace(ngram_settings=NgramSettings(2, 3, 7, 0))
    with pytest.raises(ModelFileError, match="the n-grams have the weight 0"):
        ContextualEncoder(table, make().network)


def test_the_cache_of_words_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    check_cache(make, ROTATED_TEXTS, monkeypatch)


def test_the_words_of_all_texts_are_read_once() -> None:
    encoder = make()
    encoder.encode("on lamp on")
    lamp = encoder._words.vectors["lamp"]
    encoder.encode_batch(["lamp zzz", "pizza on"])
    assert encoder._words.vectors.keys() == {"on", "lamp", "zzz", "pizza"}
    assert encoder._words.vectors["lamp"] is lamp
