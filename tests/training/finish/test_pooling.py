"""Poolings against the formulas of their papers, computed sentence by sentence."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pocketintent.compression.prune import select_words
from pocketintent.compression.quantise import quantise_encoder
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.model_file import load_model, save_model
from pocketintent.runtime.quantization.matrices import DenseMatrix
from pocketintent.runtime.text.ngrams import NgramSettings
from pocketintent.runtime.text.vocabulary import Vocabulary
from pocketintent.training.finish.pipeline import finish_encoder
from pocketintent.training.finish.settings import FinishSettings
from pocketintent_export.kinds.registry import export_of

WORDS = ["the", "a", "to", "of", "send", "money", "card", "rain", "sun", "walk", "never"]
DIM = 12
POOLINGS: tuple[Any, ...] = ("mean", "idf", "sif", "centred")
TEXTS = [
    *("the sun\tsend the money to the card", "the rain of the walk", "to the walk", "unheard"),
    *("a walk to the sun", "a card of money", "the the the rain", "send a card\t\tthe sun the sun"),
]
QUERIES = ["send the money", "a rain to walk", "never the sun", "the", "teh walk of suns"]


def vector_table(num_rows: int, seed: int) -> DenseMatrix:
    """Random rows with a direction that all share, as trained vectors have."""
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((num_rows, DIM)) + 0.7 * np.arange(DIM) / DIM
    return DenseMatrix(rows.astype(np.float32))


@pytest.fixture
def trained() -> StaticEncoder:
    return StaticEncoder(Vocabulary(WORDS), vector_table(len(WORDS), 3))


@pytest.fixture
def with_ngrams(trained: StaticEncoder) -> StaticEncoder:
    settings = NgramSettings(2, 4, 40, weight=0.6)
    return trained.replace(ngrams=vector_table(40, 4), ngram_settings=settings)


def plain(pooling: Any, frequency_weight: float = 0.05) -> FinishSettings:
    """A pooling and nothing else."""
    return FinishSettings(
        trained_dim=0,
        norm_power=1.0,
        subword_dim=0,
        pooling=pooling,
        frequency_weight=frequency_weight,
    )


def known_sentences(encoder: StaticEncoder) -> list[list[str]]:
    sentences = [encoder.tokenize(part) for text in TEXTS for part in text.split("\t")]
    known = ([word for word in words if word in WORDS] for words in sentences)
    return [words for words in known if words]


def weight_of(word: str, pooling: str, sentences: Sequence[Sequence[str]]) -> float:
    if pooling == "mean":
        return 1.0
    if pooling == "idf":
        frequency = sum(word in words for words in sentences)
        return float(np.log((1 + len(sentences)) / max(frequency, 1)))
    tokens = [token for words in sentences for token in words]
    return 0.05 / (0.05 + tokens.count(word) / len(tokens))


def mean_vector(encoder: StaticEncoder, tokens: Sequence[str], weights: list[float]) -> np.ndarray:
    rows = encoder.embed_tokens(tokens).astype(np.float64)
    assert len(rows) == len(tokens)
    return np.array(weights) @ rows / len(rows)


def expected_vector(encoder: StaticEncoder, text: str, pooling: str) -> np.ndarray:
    """The vector of a text, from the vectors of the trained model."""
    sentences = known_sentences(encoder)
    tokens = encoder.tokenize(text)
    if encoder.ngrams is None:
        tokens = [token for token in tokens if token in WORDS]
    weights = [weight_of(token, pooling, sentences) for token in tokens]
    vector = mean_vector(encoder, tokens, weights)
    if pooling == "centred":
        flat = [token for words in sentences for token in words]
        mass = np.array([weight_of(token, pooling, sentences) ** 2 for token in flat])
        vector -= np.mean(weights) * (mass @ encoder.embed_tokens(flat)) / mass.sum()
    if pooling == "sif":
        rows = [
            mean_vector(encoder, words, [weight_of(word, pooling, sentences) for word in words])
            for words in sentences
        ]
        direction = np.linalg.svd(np.stack(rows))[2][0]
        vector -= (vector @ direction) * direction
    return np.asarray(vector / np.linalg.norm(vector))


@pytest.mark.parametrize("pooling", POOLINGS)
@pytest.mark.parametrize("unknown", ["skipped", "by n-grams"])
def test_a_sentence_vector_is_that_of_the_formula(
    trained: StaticEncoder, with_ngrams: StaticEncoder, pooling: Any, unknown: str
) -> None:
    encoder = trained if unknown == "skipped" else with_ngrams
    finished = finish_encoder(encoder, plain(pooling), TEXTS)
    expected = [expected_vector(encoder, query, pooling) for query in QUERIES]
    np.testing.assert_allclose(finished.encode_batch(QUERIES), expected, atol=2e-6)


@pytest.mark.parametrize("pooling", POOLINGS)
def test_a_model_file_keeps_the_vectors_and_the_name_of_the_pooling(
    with_ngrams: StaticEncoder, tmp_path: Path, pooling: Any
) -> None:
    finished = finish_encoder(with_ngrams, plain(pooling), TEXTS)
    path = tmp_path / "model.safetensors"
    save_model(path, *finished.to_model_file_parts())
    np.testing.assert_array_equal(
        load_encoder(path).encode_batch(QUERIES), finished.encode_batch(QUERIES)
    )
    assert load_model(path).manifest["finish"]["pooling"] == pooling


def test_rotation_and_codes_keep_the_cosines(with_ngrams: StaticEncoder) -> None:
    finished = finish_encoder(with_ngrams, plain("sif"), TEXTS)
    coded = quantise_encoder(finished, sub_dim=1, codebook_size=256, count_power=0)
    before, after = (it.encode_batch(QUERIES) for it in (finished, coded))
    np.testing.assert_allclose(after @ after.T, before @ before.T, atol=0.02)


@pytest.mark.parametrize("file_format", ["onnx", "tflite"])
def test_an_exported_graph_has_the_vectors_of_the_runtime(
    with_ngrams: StaticEncoder, file_format: Any
) -> None:
    torch = pytest.importorskip("torch")
    finished = finish_encoder(with_ngrams, plain("sif"), TEXTS)
    coded = quantise_encoder(finished, sub_dim=2, codebook_size=16)
    module = export_of(coded).modules(file_format, None)["encoder"]
    inputs = export_of(coded).inputs()
    for query in QUERIES:
        slots = inputs(query).slots
        assert slots is not None
        vector = module(torch.tensor(slots.ids[None]), torch.tensor(slots.weights[None]))
        np.testing.assert_allclose(vector[0].numpy(), coded.encode(query), atol=1e-5)


def test_selected_words_keep_their_vectors(trained: StaticEncoder) -> None:
    finished = finish_encoder(trained, plain("sif"), TEXTS)
    some = select_words(finished, np.array([0, 4, 5]))
    np.testing.assert_array_equal(some.encode("send money"), finished.encode("send money"))


def test_sif_leaves_nothing_of_the_direction_that_sentences_share(trained: StaticEncoder) -> None:
    weighted = finish_encoder(trained, plain("sif", frequency_weight=0), TEXTS)
    sentences = [" ".join(words) for words in known_sentences(trained)]
    rows = [trained.embed_tokens(sentence.split()).mean(0) for sentence in sentences]
    direction = np.linalg.svd(np.stack(rows))[2][0]
    assert np.abs(trained.encode_batch(sentences) @ direction).mean() > 0.5
    np.testing.assert_allclose(weighted.encode_batch(sentences) @ direction, 0, atol=1e-6)


@pytest.mark.parametrize("pooling", ["idf", "sif"])
def test_a_corpus_is_read_in_blocks(
    trained: StaticEncoder, pooling: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = finish_encoder(trained, plain(pooling), TEXTS)
    monkeypatch.setattr("pocketintent.training.finish.pooling._AT_ONCE", 2)
    blocks = finish_encoder(trained, plain(pooling), TEXTS)
    np.testing.assert_allclose(blocks.words.decode(), whole.words.decode(), atol=1e-6)


def test_a_pooling_goes_with_fewer_dimensions_and_an_n_gram_part(trained: StaticEncoder) -> None:
    settings = FinishSettings(trained_dim=6, subword_dim=16, num_buckets=64, pooling="sif")
    finished = finish_encoder(trained, settings, TEXTS)
    assert finished.dim == 22
    assert finished.encode("suns").any()


@pytest.mark.parametrize("pooling", ["idf", "sif"])
def test_a_pooling_of_sentences_requires_a_corpus(trained: StaticEncoder, pooling: Any) -> None:
    counted = trained.replace(counts=np.ones(len(WORDS), np.uint32))
    with pytest.raises(PocketIntentError, match=rf"pooling '{pooling}' .* give a corpus"):
        finish_encoder(counted, plain(pooling))


def test_settings_that_do_not_suit_the_model_are_refused(
    trained: StaticEncoder, with_ngrams: StaticEncoder
) -> None:
    with pytest.raises(PocketIntentError, match=r"norm_power must be 1, not 0\.5"):
        finish_encoder(with_ngrams, FinishSettings(subword_dim=0), TEXTS)
    finished = finish_encoder(trained, plain("idf"), TEXTS)
    with pytest.raises(PocketIntentError, match="finished already"):
        finish_encoder(finished, plain("sif"), TEXTS)
    narrow = trained.replace(words=DenseMatrix(trained.words.decode()[:, :1]))
    with pytest.raises(PocketIntentError, match="'sif' removes one dimension"):
        finish_encoder(narrow, plain("sif"), TEXTS)
    with pytest.raises(PocketIntentError, match="pooling must be one of"):
        finish_encoder(trained, plain("median"), TEXTS)
