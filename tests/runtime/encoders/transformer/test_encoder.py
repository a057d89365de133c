from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from every_kind.encoder_checks import (
    check_batch,
    check_cache,
    check_copies,
    check_equations,
    check_hostile_text,
    check_save_and_load,
)
from models.lamp_tables import DIM, HOSTILE_TEXTS, ROTATED_TEXTS, make_table
from models.random_transformers import PIECES, piece_table, random_transformer
from plain_transformer import PlainMean
from pocketintent import IntentRecognizer
from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.encoders.sequence import MAX_TOKENS
from pocketintent.runtime.encoders.transformer.encoder import TransformerEncoder
from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.files.model_file import save_model
from pocketintent.runtime.text.ngrams import NgramSettings

TEXT_LISTS = st.lists(
    st.lists(
        st.sampled_from(["turn", "on", "lamp", "lamps", "playing", "um", "q", "don't", "🙂", "!"]),
        max_size=7,
    ).map(" ".join),
    max_size=6,
)
TEXTS = ["turn on the lamp", "lightings lmap", "q", "", "don't play jazz", "um"]


def make(quantised: bool = False, **options: Any) -> TransformerEncoder:
    network = random_transformer(DIM, np.random.default_rng(2), quantised=quantised, **options)
    return TransformerEncoder(piece_table(quantised), network)


def plain_vector(encoder: TransformerEncoder, text: str) -> FloatArray:
    """The equations of docs/transformer.md in float64, one token at a time."""
    network = encoder.network
    parameters = network.weights.decode()
    read = PlainMean(parameters, "network.", network.layers, network.heads, post_norm=True)
    rows = [encoder.table.embed_tokens([token]) for token in encoder.tokenize(text)]
    tokens = [row[0] for row in rows if len(row)][:MAX_TOKENS]
    if not tokens:
        return np.zeros(DIM, np.float32)
    mean = read(np.array(tokens))
    return (mean / np.linalg.norm(mean)).astype(np.float32)


@pytest.mark.parametrize("quantised", [False, True])
@given(texts=TEXT_LISTS)
@settings(max_examples=25)
def test_the_vectors_are_those_of_the_equations(quantised: bool, texts: list[str]) -> None:
    check_equations(make(quantised), plain_vector, texts)


@pytest.mark.parametrize(
    "sizes",
    [
        {"layers": 1, "heads": 1, "feedforward": 1},
        {"layers": 3, "heads": 8, "feedforward": 5},
        {"layers": 2, "heads": 4, "feedforward": 40, "scale": 1.0},
    ],
)
def test_any_sizes_give_the_vectors_of_the_equations(sizes: dict[str, Any]) -> None:
    check_equations(make(**sizes), plain_vector, TEXTS)
    check_batch(make(**sizes), [*TEXTS, "", *TEXTS[::-1]])


def test_a_large_batch_gives_the_vectors_of_single_texts() -> None:
    rng = np.random.default_rng(5)
    words = [*PIECES[:20], "lamps", "zzz", "unheard", "🙂"]
    texts = [" ".join(rng.choice(words, rng.integers(0, 40))) for _ in range(150)]
    check_batch(make(), texts)


def test_the_order_of_the_words_counts() -> None:
    one, other = make().encode_batch(["turn on the lamp", "lamp on the turn"])
    assert one @ other < 0.999


def test_a_word_outside_the_vocabulary_is_read_by_its_pieces() -> None:
    encoder = make()
    assert encoder.tokenize("lamping") == ["lamp", "##ing"]
    assert encoder.encode("lamping") @ encoder.encode("lamp") < 0.999
    assert np.array_equal(encoder.encode("lamp q"), encoder.encode("lamp"))


@pytest.mark.parametrize("text", HOSTILE_TEXTS, ids=range(len(HOSTILE_TEXTS)))
def test_hostile_texts_have_finite_vectors(text: str) -> None:
    check_hostile_text(make(), text)


@pytest.mark.parametrize("text", ["a" * 4096, "lamping" * 600, "🙂" * 5000, "a\ud800b" * 2000])
def test_a_long_text_is_read_to_its_first_pieces(text: str) -> None:
    encoder = make()
    pieces = encoder.tokenize(text)
    kept = [piece for piece in pieces if piece in encoder.vocabulary][:MAX_TOKENS]
    expected = encoder.reader.read_vectors(encoder.table.embed_tokens(kept)) if kept else 0
    found = encoder.encode(text)
    assert np.linalg.norm(found) == pytest.approx(int(bool(kept)))
    np.testing.assert_allclose(found * np.linalg.norm(expected), expected, atol=1e-5)
    np.testing.assert_allclose(encoder.encode_batch(["on", text])[1], found, atol=1e-5)


def test_tokens_beyond_the_limit_are_ignored() -> None:
    encoder = make()
    limit = "lamps q on " * (MAX_TOKENS // 3) + "turn"  # 256 pieces; q has none
    assert len(encoder.tokenize(limit)) == MAX_TOKENS
    for text in (limit + " pizza", limit + " pizza music" * 100):
        np.testing.assert_array_equal(encoder.encode(text), encoder.encode(limit))
        np.testing.assert_allclose(
            encoder.encode_batch(["on", text])[1], encoder.encode(limit), atol=1e-5
        )
    shorter = limit.rsplit(maxsplit=1)[0]
    assert not np.array_equal(encoder.encode(limit), encoder.encode(shorter))


def test_an_empty_batch_has_no_rows() -> None:
    assert make().encode_batch([]).shape == (0, DIM)
    assert not make().encode_batch(["", "q", "🙂"]).any()


def test_whole_words_are_known_and_pieces_are_not() -> None:
    words = make().known_words
    assert words is not None
    assert words.words == [piece for piece in PIECES if not piece.startswith("##")]


def test_a_table_of_words_and_ngrams_may_be_read_too() -> None:
    network = random_transformer(DIM, np.random.default_rng(2))
    encoder = TransformerEncoder(make_table(), network)
    check_equations(encoder, plain_vector, ["turn on the lmap", "zzz", ""])
    table = make_table().replace(ngram_settings=NgramSettings(2, 3, 7, 0))
    with pytest.raises(ModelFileError, match="the n-grams have the weight 0"):
        TransformerEncoder(table, network)


@pytest.mark.parametrize("quantised", [False, True])
def test_it_is_saved_and_loaded(quantised: bool, tmp_path: Path) -> None:
    loaded = check_save_and_load(make(quantised), tmp_path, TEXTS)
    assert loaded.manifest["training"] == 1
    assert loaded.network.format == ("codebook" if quantised else "float32")
    assert loaded.tokenizer_spec["name"] == "word_pieces"


def test_parts_of_other_dimensions_are_refused() -> None:
    with pytest.raises(ModelFileError, match="the words have 8 dimensions and the network reads 6"):
        TransformerEncoder(piece_table(), random_transformer(6, np.random.default_rng(0)))


def test_a_missing_network_is_refused_with_the_name_of_the_file(tmp_path: Path) -> None:
    manifest, tensors = make().to_model_file_parts()
    for changed in (None, {"weights": {"format": "int8"}}):
        path = tmp_path / "model.safetensors"
        save_model(path, {**manifest, "network": changed}, tensors)
        with pytest.raises(ModelFileError, match=r"model\.safetensors: .*network"):
            load_encoder(path)


def test_parts_of_the_table_are_replaced() -> None:
    encoder = make()
    renamed = encoder.replace(manifest={"a": 1})
    assert renamed.manifest == {"a": 1} and renamed.network is encoder.network
    with pytest.raises(TypeError):
        encoder.replace(heads=3)


def test_copies_give_the_same_vectors() -> None:
    encoder = make(quantised=True)
    check_copies(encoder, TEXTS)
    words = sum(not piece.startswith("##") for piece in PIECES)
    assert repr(encoder) == f"<TransformerEncoder: kind transformer, 8 dimensions, {words} words>"


def test_a_recogniser_matches_corrects_and_explains() -> None:
    templates = {"on": ["turn on the lamp", "light on"], "play": ["play music"]}
    recognizer = IntentRecognizer(make(), templates)
    assert recognizer.match("please turn on the lamp").nearest == "on"
    assert recognizer.match("play music").nearest == "play"
    assert recognizer.read("trun on the lapm") == "turn on the lamp"
    explanation = recognizer.explain("turning on the lamp")
    assert [word.word for word in explanation.words] == ["turning", "on", "the", "lamp"]
    assert all(np.isfinite(word.share) for word in explanation.words)


def test_the_cache_of_tokens_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    check_cache(make, [*ROTATED_TEXTS, "lamps playing"], monkeypatch)


def test_threads_get_the_vectors_of_their_own_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pocketintent.runtime.encoders.word_cache.WORD_CACHE", 5)
    texts = [f"{word} on the {word}ing" for word in PIECES[:16]]
    encoder = make()
    expected = [encoder.encode(text) for text in texts]

    def read(number: int) -> bool:
        found = [encoder.encode(texts[number]) for _ in range(30)]
        return all(np.array_equal(vector, expected[number]) for vector in found)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(read, range(len(texts))))
