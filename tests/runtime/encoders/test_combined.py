from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.random_networks import random_network
from pocketintent import IntentRecognizer
from pocketintent.compression.codebooks import encode_matrix, fit_quantizer
from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.charemb.encoder import CharEncoder
from pocketintent.runtime.encoders.charemb.network import CharNetwork
from pocketintent.runtime.encoders.combined import Attention, CombinedEncoder, TableAttention
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.files.model_file import save_model
from pocketintent.runtime.quantization.matrices import DenseMatrix
from pocketintent.runtime.quantization.quantizer import Quantizer
from pocketintent.runtime.text.characters import CharVocabulary
from pocketintent.runtime.text.ngrams import NgramSettings
from pocketintent.runtime.text.tokenizer import SIMPLE_SPEC
from pocketintent.runtime.text.vocabulary import Vocabulary

DIM = 8
WORDS = ["turn", "on", "the", "lamp", "light", "play", "music", "pizza"]
NGRAMS = NgramSettings(2, 3, 4)
TOKENS = [*WORDS, "lmap", "muisc", "x", "🙂", "日本", "!", "\0"]
TEXTS = st.lists(st.lists(st.sampled_from(TOKENS), max_size=6).map(" ".join), max_size=6)


def make_words(quantised: bool = False, **options: Any) -> StaticEncoder:
    vectors = np.random.default_rng(0).normal(0, 0.5, (len(WORDS), DIM)).astype(np.float32)
    quantizer = fit_quantizer(vectors, sub_dim=2, codebook_size=8)
    matrix = encode_matrix(vectors, quantizer) if quantised else DenseMatrix(vectors)
    return StaticEncoder(Vocabulary(WORDS), matrix, **options)


def make_characters(dim: int = DIM, **options: Any) -> CharEncoder:
    rng = np.random.default_rng(1)
    network = CharNetwork(dim=dim, char_dim=4, hidden=4, mlp=5)
    vocabulary = CharVocabulary(" abcdefghijklmnopqrstuvwxyz", max_chars=16)
    return random_network(network, vocabulary, rng, int8=True, **options)


def make(quantised: bool = False, **options: Any) -> CombinedEncoder:
    return CombinedEncoder(make_words(quantised, **options), make_characters())


def plain_sum(encoder: CombinedEncoder, text: str) -> FloatArray:
    """The sum that the class describes, one token at a time."""
    table = dict(zip(encoder.vocabulary.words, encoder.words.words.decode(), strict=True))
    total = np.zeros(DIM, np.float32)
    for token in encoder.tokenize(text):
        if token in table:
            total += table[token]
            continue
        vectors = encoder.characters.embed_terms([token])
        if encoder.attention is not None:
            vectors = TableAttention(encoder.words.words, encoder.attention)(vectors)
        total += vectors[0]
    norm = np.linalg.norm(total)
    unit: FloatArray = total / norm if norm else total
    return unit


@pytest.mark.parametrize("attention", [None, Attention(0.7, 0.1)])
@pytest.mark.parametrize("quantised", [False, True])
@given(texts=TEXTS)
@settings(max_examples=30)
def test_a_text_is_the_plain_sum_of_known_and_unknown_words(
    attention: Attention | None, quantised: bool, texts: list[str]
) -> None:
    def make(quantised: bool) -> CombinedEncoder:
        return CombinedEncoder(make_words(quantised), make_characters(), attention)

    encoder = make(quantised)
    batch = encoder.encode_batch(texts)
    assert batch.dtype == np.float32
    assert batch.shape == (len(texts), DIM)
    for row, text in zip(batch, texts, strict=True):
        np.testing.assert_allclose(row, plain_sum(encoder, text), atol=1e-5)
        np.testing.assert_allclose(row, make(quantised).encode(text), atol=1e-5)


def test_a_text_of_known_words_has_the_vector_of_the_table() -> None:
    for text in ("turn on the lamp", "Music, music!", "pizza"):
        np.testing.assert_array_equal(make(True).encode(text), make_words(True).encode(text))


@pytest.mark.parametrize("reads", ["text", "words"])
def test_an_unknown_word_is_read_by_its_characters(reads: Any) -> None:
    characters = make_characters(reads=reads)
    encoder = CombinedEncoder(make_words(), characters)
    (vector,) = characters.embed_terms(["lmap"])
    np.testing.assert_allclose(encoder.encode("lmap"), vector / np.linalg.norm(vector), atol=1e-6)
    np.testing.assert_allclose(
        encoder.embed_unknown(["lmap", "🙂"]), [vector, 0 * vector], atol=1e-6
    )


@pytest.mark.parametrize("text", ["", " ", "\0", "🙂", "日本", "!?", "\ud800", "\u200d"])
def test_a_text_without_known_words_or_characters_is_zeros(text: str) -> None:
    assert not make().encode(text).any()


@given(st.text(max_size=60))
@settings(max_examples=100)
def test_any_text_gives_a_unit_vector_or_zeros(text: str) -> None:
    norm = np.linalg.norm(make().encode(text))
    assert norm == pytest.approx(1, abs=1e-5) or norm == 0


def test_a_megabyte_is_read_to_the_limit_of_the_tokenizer() -> None:
    encoder = make()
    text = "tunr on teh lmap " * 60_000
    np.testing.assert_allclose(encoder.encode(text), encoder.encode(text[:4096]), atol=1e-6)


def test_the_cache_of_unknown_words_is_bounded_and_changes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("pocketintent.runtime.encoders.word_cache.WORD_CACHE", 3)
    encoder = make()
    texts = ["a b", "b c lamp", "a b c d e f", "f a", "turn", "a b"]
    for text in texts:
        np.testing.assert_allclose(encoder.encode(text), plain_sum(encoder, text), atol=1e-5)
        assert len(encoder._unknown_vectors) <= 3


def test_an_unknown_word_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = make()
    read: list[str] = []
    embed = encoder.characters.embed_terms
    monkeypatch.setattr(
        encoder.characters, "embed_terms", lambda terms: (read.extend(terms), embed(terms))[1]
    )
    encoder.encode_batch(["lmap lmap", "muisc on lmap"])
    encoder.encode("lmap muisc lamp")
    assert read == ["lmap", "muisc"]


def test_many_texts_stay_in_order() -> None:
    encoder = make()
    texts = [f"{TOKENS[n % 11]} {TOKENS[n % 7]}" for n in range(600)]
    batch = encoder.encode_batch(texts)
    for number in (0, 1, 255, 256, 511, 599):
        np.testing.assert_allclose(batch[number], plain_sum(encoder, texts[number]), atol=1e-5)


@pytest.mark.parametrize(("quantised", "attention"), [(False, None), (True, Attention(0.5, 0.25))])
def test_an_encoder_is_saved_and_loaded_with_all_its_parts(
    quantised: bool, attention: Attention | None, tmp_path: Path
) -> None:
    codebook = np.random.default_rng(2).normal(size=(1, 4, 2)).astype(np.float16)
    words = make_words(
        quantised,
        template_quantizer=Quantizer(codebook.astype(np.float32), DIM, normalised=False),
        manifest={"training": {"seed": 3}},
    )
    characters = make_characters(reads="words", manifest={"training": {"seed": 4}})
    encoder = CombinedEncoder(words, characters, attention)
    path = tmp_path / "model.safetensors"
    save_model(path, *encoder.to_model_file_parts())
    loaded = load_encoder(path)
    assert isinstance(loaded, CombinedEncoder)
    assert loaded.manifest["training"] == {"seed": 3}
    assert loaded.characters.manifest["training"] == {"seed": 4}
    assert loaded.attention == attention
    without = CombinedEncoder(loaded.words, loaded.characters)
    assert "attention" not in without.to_model_file_parts()[0]
    assert loaded.template_quantizer is not None
    np.testing.assert_array_equal(loaded.template_quantizer.codebook, codebook)
    texts = ["turn on the lmap", "order food", ""]
    np.testing.assert_array_equal(loaded.encode_batch(texts), encoder.encode_batch(texts))
    save_model(tmp_path / "again.safetensors", *loaded.to_model_file_parts())
    assert (tmp_path / "again.safetensors").read_bytes() == path.read_bytes()


def test_an_altered_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    save_model(path, *make(True).to_model_file_parts())
    whole = path.read_bytes()
    for place in (len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(ModelFileError):
            load_encoder(path)


@pytest.mark.parametrize(
    ("words", "characters", "message"),
    [
        ({}, {"dim": 7}, "8 dimensions and the character network has 7"),
        ({}, {"tokenizer_spec": {**SIMPLE_SPEC, "max_chars": 9}}, "tokenizer"),
        (
            {"ngrams": DenseMatrix(np.ones((4, DIM), np.float32)), "ngram_settings": NGRAMS},
            {},
            "can have no n-grams",
        ),
    ],
)
def test_parts_that_do_not_fit_each_other_are_refused(
    words: dict[str, Any], characters: dict[str, Any], message: str
) -> None:
    with pytest.raises(ModelFileError, match=message):
        CombinedEncoder(make_words(**words), make_characters(**characters))


Parts = tuple[dict[str, Any], dict[str, Any]]
BAD_FILES: list[tuple[Callable[[Parts], Any], str]] = [
    (lambda parts: parts[0].pop("charemb"), "no object 'charemb'"),
    (lambda parts: parts[0].update(charemb=[]), "no object 'charemb'"),
    (lambda parts: parts[0].update(attention=[]), "attention must have"),
    (
        lambda parts: parts[0].update(attention={"share": 2, "temperature": 1, "weight": 1}),
        "share must be",
    ),
    (lambda parts: parts[0].pop("words"), "no object 'words'"),
    (lambda parts: parts[0].update(dim=7), "dim 7"),
    (lambda parts: parts[0]["charemb"].pop("network"), "charemb: .*network must have"),
    (lambda parts: parts[0]["charemb"]["network"].update(dim=7), "charemb: .*dim 8"),
    (lambda parts: parts[0]["charemb"].update(reads="minds"), "charemb: reads must be"),
    (lambda parts: parts[1].pop("charemb.characters"), "charemb: .*tensor characters is missing"),
    (lambda parts: parts[1].pop("charemb.mlp.0.bias"), "charemb: .*mlp.0.bias is missing"),
    (lambda parts: parts[1].pop("words.embedding"), "words.embedding is missing"),
]


@pytest.mark.parametrize(("change", "message"), BAD_FILES)
def test_a_file_whose_parts_do_not_fit_is_refused(
    change: Callable[[Parts], Any], message: str, tmp_path: Path
) -> None:
    parts = make().to_model_file_parts()
    change(parts)
    path = tmp_path / "model.safetensors"
    save_model(path, *parts)
    with pytest.raises(ModelFileError, match=message):
        load_encoder(path)


def test_a_recogniser_runs_on_a_combined_encoder() -> None:
    recognizer = IntentRecognizer(make(), {"lights": ["turn on"], "food": ["order a pizza"]})
    match = recognizer.match("order a pizza")
    assert match.template == "order a pizza"
    assert match.score > 0.5
    assert recognizer.match("🙂").reason == "unknown_words"
