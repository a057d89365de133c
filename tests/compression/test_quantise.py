from __future__ import annotations

import numpy as np
import pytest

from models.random_contexts import random_context
from models.random_networks import random_network
from models.random_transformers import random_transformer
from pocketintent.compression.codebooks import encode_matrix
from pocketintent.compression.quantise import (
    add_template_quantizer,
    quantise_encoder,
    quantise_network,
    random_rotation,
    sample_texts,
)
from pocketintent.runtime.encoders.charemb.network import CharNetwork
from pocketintent.runtime.encoders.contextual.encoder import ContextualEncoder
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.encoders.transformer.encoder import TransformerEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.quantization.matrices import DenseMatrix, QuantizedMatrix
from pocketintent.runtime.text.characters import CharVocabulary
from pocketintent.runtime.text.ngrams import NgramSettings
from pocketintent.runtime.text.vocabulary import Vocabulary

NGRAMS = NgramSettings(3, 4, 64)


def name(index: int) -> str:
    return "w" + "".join(chr(97 + int(digit)) for digit in str(index))


def make_encoder(num_words: int = 500, dim: int = 20, ngrams: bool = False) -> StaticEncoder:
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((num_words, dim), dtype=np.float32)
    buckets = DenseMatrix(rng.standard_normal((64, dim), dtype=np.float32)) if ngrams else None
    return StaticEncoder(
        Vocabulary([name(index) for index in range(num_words)]),
        DenseMatrix(vectors),
        ngrams=buckets,
        ngram_settings=NGRAMS if ngrams else None,
        manifest={"training": {"seed": 1}, "quality": {"old": 1.0}},
    )


def make_texts(count: int, num_words: int = 500) -> list[str]:
    rng = np.random.default_rng(1)
    return [" ".join(map(name, rng.integers(0, num_words, 6))) for _ in range(count)]


def cosines(encoder: StaticEncoder, texts: list[str]) -> np.ndarray:
    vectors = encoder.encode_batch(texts)
    return vectors @ vectors.T


@pytest.mark.parametrize("rotate", [False, True])
def test_cosines_of_sentences_stay_near_the_original(rotate: bool) -> None:
    encoder = make_encoder()
    small = quantise_encoder(encoder, sub_dim=2, codebook_size=128, rotate=rotate)
    assert isinstance(small.words, QuantizedMatrix)
    texts = make_texts(100)
    np.testing.assert_allclose(cosines(small, texts), cosines(encoder, texts), atol=0.2)


def test_counts_are_kept() -> None:
    counts = np.arange(500)
    small = quantise_encoder(make_encoder().replace(counts=counts), sub_dim=5, codebook_size=8)
    assert small.counts is counts


def test_an_encoder_without_tables_is_rejected() -> None:
    network = CharNetwork(dim=8, char_dim=6, hidden=8, mlp=16)
    vocabulary = CharVocabulary(" abc", max_chars=16)
    encoder = random_network(network, vocabulary, np.random.default_rng(0))
    with pytest.raises(PocketIntentError, match="kind 'charemb' has no tables to quantise"):
        quantise_encoder(encoder, sub_dim=2, codebook_size=4)


def test_a_model_without_words_is_rejected_by_name() -> None:
    encoder = StaticEncoder(
        Vocabulary([]),
        DenseMatrix(np.empty((0, 4), np.float32)),
        ngrams=DenseMatrix(np.ones((8, 4), np.float32)),
        ngram_settings=NgramSettings(2, 3, 8),
    )
    with pytest.raises(PocketIntentError, match="the model has no words to quantise"):
        quantise_encoder(encoder, sub_dim=2, codebook_size=4)


def test_settings_are_recorded_and_stale_quality_is_dropped() -> None:
    small = quantise_encoder(make_encoder(), sub_dim=5, codebook_size=8, per_position=False)
    assert small.manifest["training"] == {"seed": 1}
    assert "quality" not in small.manifest
    assert small.manifest["compression"] == {
        "sub_dim": 5,
        "codebook_size": 8,
        "per_position": False,
        "normalised": True,
        "seed": 0,
        "rotate": True,
        "count_power": 0.0,
    }


def test_ngrams_are_quantised_too() -> None:
    small = quantise_encoder(make_encoder(ngrams=True), sub_dim=2, codebook_size=64)
    assert isinstance(small.ngrams, QuantizedMatrix)
    texts = ["unknownword", "unknownthing", "another", *make_texts(5)]
    expected = cosines(make_encoder(ngrams=True), texts)
    np.testing.assert_allclose(cosines(small, texts), expected, atol=0.2)


def test_padding_stays_zero() -> None:
    encoder = make_encoder(ngrams=True)
    small = quantise_encoder(encoder, sub_dim=8, codebook_size=16, rotate=False)
    assert small.dim == 24
    assert small.ngrams is not None and small.ngrams.dim == 24
    assert not small.words.decode()[:, 20:].any()
    assert not small.encode("wa unknown")[20:].any()


def test_a_template_codebook_is_kept_only_for_the_same_dim_and_basis() -> None:
    encoder = add_template_quantizer(make_encoder(), make_texts(50))

    def has_codebook(sub_dim: int, rotate: bool) -> bool:
        small = quantise_encoder(encoder, sub_dim=sub_dim, codebook_size=4, rotate=rotate)
        return small.template_quantizer is not None

    assert has_codebook(5, rotate=False)
    assert not has_codebook(8, rotate=False)
    assert not has_codebook(5, rotate=True)


def test_a_rotation_keeps_lengths_and_angles() -> None:
    rotation = random_rotation(24, seed=1)
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(24), atol=1e-5)
    np.testing.assert_array_equal(rotation, random_rotation(24, seed=1))
    assert (rotation != random_rotation(24, seed=2)).any()


def test_rotation_helps_if_a_few_dimensions_have_most_of_the_variance() -> None:
    encoder = make_encoder()
    vectors = encoder.words.decode() * 0.6 ** np.arange(20, dtype=np.float32)
    uneven = StaticEncoder(encoder.vocabulary, DenseMatrix(vectors))
    texts = make_texts(200)
    gold = cosines(uneven, texts)
    errors = []
    for rotate in (False, True):
        small = quantise_encoder(uneven, sub_dim=5, codebook_size=32, rotate=rotate)
        errors.append(float(np.square(cosines(small, texts) - gold).mean()))
    assert errors[1] < 0.5 * errors[0]


def test_frequent_words_are_quantised_more_exactly() -> None:
    encoder = make_encoder()
    counts = np.r_[np.full(50, 10_000), np.ones(450, np.int64)]
    errors = []
    for weighted in (encoder, encoder.replace(counts=counts)):
        small = quantise_encoder(weighted, sub_dim=5, codebook_size=16, rotate=False)
        errors.append(float(np.square(small.words.decode() - encoder.words.decode())[:50].mean()))
    assert errors[1] < 0.8 * errors[0]


def test_compressing_again_works_on_the_decoded_vectors() -> None:
    plain = {"normalised": False, "rotate": False}
    once = quantise_encoder(make_encoder(), sub_dim=2, codebook_size=64, **plain)
    twice = quantise_encoder(once, sub_dim=2, codebook_size=64, **plain)
    np.testing.assert_allclose(twice.words.decode(), once.words.decode(), atol=1e-3)


def test_progress_names_each_stage() -> None:
    stages: list[str] = []
    quantise_encoder(
        make_encoder(ngrams=True),
        sub_dim=10,
        codebook_size=4,
        progress=lambda stage, done, total: stages.append(f"{stage} {done}/{total}"),
    )
    assert stages == [
        "fit words 1/2",
        "fit words 2/2",
        "encode words 500/500",
        "fit n-grams 1/2",
        "fit n-grams 2/2",
        "encode n-grams 64/64",
    ]


def test_the_template_codebook_quantises_sentence_vectors() -> None:
    encoder = add_template_quantizer(make_encoder(), make_texts(600))
    quantizer = encoder.template_quantizer
    assert quantizer is not None
    assert (quantizer.dim, quantizer.sub_dim, quantizer.codebook_size) == (20, 2, 256)
    assert not quantizer.per_position and not quantizer.normalised
    vectors = encoder.encode_batch(make_texts(50))
    decoded = encode_matrix(vectors, quantizer).decode()
    assert np.square(vectors - decoded).sum(axis=1).mean() < 0.05


def test_a_corpus_without_a_known_word_is_rejected() -> None:
    with pytest.raises(PocketIntentError, match="none of 2 texts"):
        add_template_quantizer(make_encoder(), ["nothing", "known"])


def test_a_sample_is_drawn_from_the_whole_stream_and_by_seed() -> None:
    texts = [str(number) for number in range(1000)]
    sample = sample_texts(iter(texts), 100, seed=3)
    assert len(set(sample)) == 100 and set(sample) <= set(texts)
    assert any(int(text) > 900 for text in sample)
    assert sample == sample_texts(texts, 100, seed=3) != sample_texts(texts, 100, seed=4)
    assert sample_texts(texts[:5], 100, seed=3) == texts[:5]


def test_a_sub_dim_below_one_is_rejected() -> None:
    with pytest.raises(PocketIntentError, match="sub_dim is 0"):
        quantise_encoder(make_encoder(), sub_dim=0, codebook_size=4)


@pytest.mark.parametrize("rotate", [False, True])
def test_a_contextual_encoder_keeps_its_cosines_and_gets_an_int8_network(rotate: bool) -> None:
    network = random_context(20, np.random.default_rng(3))
    encoder = ContextualEncoder(make_encoder(ngrams=True), network)

    small = quantise_encoder(encoder, sub_dim=2, codebook_size=128, rotate=rotate)
    small = quantise_network(small)

    assert isinstance(small.table.words, QuantizedMatrix)
    assert isinstance(small.table.ngrams, QuantizedMatrix)
    assert small.network.format == "int8"
    assert small.manifest["compression"]["rotate"] is rotate
    assert "quality" not in small.manifest
    texts = [*make_texts(100), "unheard words"]
    before, after = encoder.encode_batch(texts), small.encode_batch(texts)
    np.testing.assert_allclose(after @ after.T, before @ before.T, atol=0.2)
    if not rotate:
        assert (before * after).sum(axis=1).min() > 0.95


@pytest.mark.parametrize("rotate", [False, True])
def test_a_transformer_is_never_rotated_and_keeps_its_vectors(rotate: bool) -> None:
    network = random_transformer(20, np.random.default_rng(3), scale=0.1)
    encoder = TransformerEncoder(make_encoder(), network)

    small = quantise_encoder(encoder, sub_dim=2, codebook_size=128, rotate=rotate)
    small = quantise_network(small)

    assert isinstance(small.table.words, QuantizedMatrix)
    assert small.network.format == "codebook"
    assert small.manifest["compression"]["rotate"] is False
    assert "quality" not in small.manifest
    texts = make_texts(100)
    before, after = encoder.encode_batch(texts), small.encode_batch(texts)
    assert (before * after).sum(axis=1).min() > 0.95


@pytest.mark.parametrize("rotate", [False, True])
@pytest.mark.parametrize(
    "encoder",
    [
        ContextualEncoder(make_encoder(), random_context(20, np.random.default_rng(3))),
        TransformerEncoder(make_encoder(), random_transformer(20, np.random.default_rng(3))),
    ],
    ids=repr,
)
def test_a_sub_dim_that_would_pad_what_a_network_reads_is_refused(
    encoder: ModelEncoder, rotate: bool
) -> None:
    message = "must divide the 20 dimensions .* 3 does not; --sub-dim may be 1, 2, 4, 5, 10$"
    with pytest.raises(PocketIntentError, match=message):
        quantise_encoder(encoder, sub_dim=3, codebook_size=16, rotate=rotate)
