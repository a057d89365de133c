from __future__ import annotations

import numpy as np
import pytest

from pocketintent.compression.quantise import (
    add_template_quantizer,
    compress_encoder,
    quantise_encoder,
    sample_texts,
    template_sub_dim,
)
from pocketintent.runtime.encoders import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.quantizer import DenseMatrix, QuantizedMatrix
from pocketintent.runtime.vocabulary import Vocabulary

NGRAMS = {"min_n": 3, "max_n": 4, "num_buckets": 64, "weight": 1.0}


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


def test_a_quantised_encoder_stays_near_the_original() -> None:
    encoder = make_encoder()
    small = quantise_encoder(encoder, sub_dim=2, codebook_size=128)
    assert isinstance(small.words, QuantizedMatrix)
    texts = make_texts(100)
    cosines = np.einsum("nd,nd->n", encoder.encode_batch(texts), small.encode_batch(texts))
    assert cosines.min() > 0.98


def test_compression_keeps_the_most_frequent_words() -> None:
    encoder = make_encoder()
    counts = np.arange(500)
    small = compress_encoder(encoder, keep=50, counts=counts, sub_dim=5, codebook_size=8)
    assert small.vocabulary.words == [name(index) for index in range(450, 500)]


def test_without_counts_the_first_words_are_kept() -> None:
    small = compress_encoder(make_encoder(), keep=50, sub_dim=5, codebook_size=8)
    assert small.vocabulary.words == [name(index) for index in range(50)]


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
    }


def test_ngrams_are_quantised_too() -> None:
    small = quantise_encoder(make_encoder(ngrams=True), sub_dim=2, codebook_size=64)
    assert isinstance(small.ngrams, QuantizedMatrix)
    before = make_encoder(ngrams=True).encode("unknownword")
    assert float(before @ small.encode("unknownword")) > 0.95


def test_a_dim_that_does_not_divide_is_filled_with_zeros_that_stay_zeros() -> None:
    encoder = make_encoder(ngrams=True)
    small = quantise_encoder(encoder, sub_dim=8, codebook_size=16)
    assert small.dim == 24
    assert small.ngrams is not None and small.ngrams.dim == 24
    assert not small.words.decode()[:, 20:].any()
    assert not small.encode("wa unknown")[20:].any()


def test_a_codebook_for_another_dim_is_dropped() -> None:
    encoder = add_template_quantizer(make_encoder(), make_texts(50), codebook_size=4)
    assert quantise_encoder(encoder, sub_dim=5, codebook_size=4).template_quantizer is not None
    assert quantise_encoder(encoder, sub_dim=8, codebook_size=4).template_quantizer is None


def test_compressing_again_works_on_the_decoded_vectors() -> None:
    once = quantise_encoder(make_encoder(), sub_dim=2, codebook_size=64, normalised=False)
    twice = quantise_encoder(once, sub_dim=2, codebook_size=64, normalised=False)
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
    encoder = add_template_quantizer(make_encoder(), make_texts(600), codebook_size=64)
    quantizer = encoder.template_quantizer
    assert quantizer is not None
    assert (quantizer.dim, quantizer.sub_dim, quantizer.codebook_size) == (20, 1, 64)
    assert quantizer.per_position and not quantizer.normalised
    assert quantizer.distortion(encoder.encode_batch(make_texts(50))) < 0.05


@pytest.mark.parametrize(("dim", "sub_dim"), [(256, 8), (300, 10), (128, 4), (64, 2), (20, 1)])
def test_templates_get_about_32_codes(dim: int, sub_dim: int) -> None:
    assert template_sub_dim(dim) == sub_dim


def test_a_corpus_without_a_known_word_is_refused() -> None:
    with pytest.raises(PocketIntentError, match="none of 2 texts"):
        add_template_quantizer(make_encoder(), ["nothing", "known"])


def test_a_sample_is_drawn_from_the_whole_stream_and_by_seed() -> None:
    texts = [str(number) for number in range(1000)]
    drawn = sample_texts(iter(texts), 100, seed=3)
    assert len(set(drawn)) == 100 and set(drawn) <= set(texts)
    assert any(int(text) > 900 for text in drawn)
    assert drawn == sample_texts(texts, 100, seed=3) != sample_texts(texts, 100, seed=4)
    assert sample_texts(texts[:5], 100, seed=3) == texts[:5]


def test_a_sub_dim_below_one_is_refused() -> None:
    with pytest.raises(PocketIntentError, match="sub_dim is 0"):
        quantise_encoder(make_encoder(), sub_dim=0, codebook_size=4)
