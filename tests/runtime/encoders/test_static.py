import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.robustness.hostile_files.models import Parts, seal
from pocketintent.compression.codebooks import encode_matrix, fit_quantizer
from pocketintent.runtime.encoders.parts import TEMPLATE_CODEBOOK
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.files import shipped_models
from pocketintent.runtime.files.model_file import save_model
from pocketintent.runtime.quantization.matrices import DenseMatrix, Matrix
from pocketintent.runtime.quantization.quantizer import Quantizer
from pocketintent.runtime.text.ngrams import NgramSettings, ngram_buckets
from pocketintent.runtime.text.vocabulary import Vocabulary

WORDS = ["turn", "on", "off", "light", "café"]
NGRAMS = NgramSettings(2, 3, 7, 0.5)


def _vectors(num: int, dim: int = 8, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(num, dim)).astype(np.float32)


def _dense() -> DenseMatrix:
    return DenseMatrix(_vectors(len(WORDS)))


def _quantised() -> Matrix:
    vectors = _vectors(len(WORDS))
    return encode_matrix(vectors, fit_quantizer(vectors, sub_dim=2, codebook_size=4))


def _encoder(words: Matrix | None = None, **settings: Any) -> StaticEncoder:
    return StaticEncoder(Vocabulary(WORDS), words or _dense(), **settings)


def _with_ngrams() -> StaticEncoder:
    return _encoder(ngrams=DenseMatrix(_vectors(7, seed=1)), ngram_settings=NGRAMS)


@pytest.mark.parametrize("words", [_dense(), _quantised()], ids=["dense", "quantised"])
def test_a_text_is_the_sum_of_its_words_at_unit_length(words: Matrix) -> None:
    rows = words.decode()
    expected = rows[0] + rows[1] + 2 * rows[3]

    vector = _encoder(words).encode("Turn on LIGHT unheard light!")

    assert vector.dtype == np.float32
    np.testing.assert_allclose(vector, expected / np.linalg.norm(expected), atol=1e-6)


@pytest.mark.parametrize("text", ["", " \n", "unheard words", "!?", "\0", "\ud800"])
def test_a_text_without_known_words_is_zeros(text: str) -> None:
    np.testing.assert_array_equal(_encoder().encode(text), np.zeros(8, np.float32))


def test_an_unknown_word_is_the_weighted_mean_of_its_ngrams() -> None:
    encoder = _with_ngrams()
    assert encoder.ngrams is not None
    rows = encoder.ngrams.decode()[ngram_buckets("unheard", 2, 3, 7)]
    word = 0.5 * rows.mean(axis=0)
    total = encoder.words.decode()[1] + 2 * word

    np.testing.assert_allclose(encoder.embed_tokens(["unheard"]), word[None], atol=1e-6)
    np.testing.assert_allclose(
        encoder.encode("unheard on unheard"), total / np.linalg.norm(total), atol=1e-6
    )


def test_many_unknown_words_have_the_vectors_of_single_ones() -> None:
    words = [f"{stem}{number}é" for stem in ("a", "unheard" * 40) for number in range(300)]
    encoder, other = _with_ngrams(), _with_ngrams()
    together = encoder.embed_tokens(words)
    for word, vector in zip(words, together, strict=True):
        np.testing.assert_array_equal(other.embed_tokens([word])[0], vector)


def test_tokens_are_embedded_in_order_and_unknown_ones_left_out() -> None:
    encoder = _encoder()
    rows = encoder.words.decode()

    np.testing.assert_array_equal(encoder.embed_tokens(["off", "never", "on"]), rows[[2, 1]])
    assert encoder.embed_tokens(["never"]).shape == (0, 8)
    assert _with_ngrams().embed_tokens(["off", "never", "on"]).shape == (3, 8)


@given(st.lists(st.text(st.sampled_from("turn on off light caféé ?x"), max_size=30), max_size=5))
def test_a_batch_equals_its_texts_one_by_one(texts: list[str]) -> None:
    for encoder in (_encoder(), _encoder(_quantised()), _with_ngrams()):
        batch = encoder.encode_batch(texts)
        assert batch.shape == (len(texts), 8)
        for row, text in zip(batch, texts, strict=True):
            np.testing.assert_array_equal(row, encoder.encode(text))


def test_an_encoder_is_saved_and_loaded_with_all_its_parts(tmp_path: Path) -> None:
    ngram_vectors = _vectors(7, seed=1)
    encoder = _encoder(
        _quantised(),
        ngrams=encode_matrix(
            ngram_vectors, fit_quantizer(ngram_vectors, sub_dim=4, codebook_size=4)
        ),
        ngram_settings=NGRAMS,
        template_quantizer=fit_quantizer(
            _vectors(9), sub_dim=2, codebook_size=8, per_position=False, normalised=False
        ),
        manifest={"training": {"seed": 3}, "quality": {"sts": 0.7}},
    )
    path = tmp_path / "model.safetensors"
    save_model(path, *encoder.to_model_file_parts())

    loaded = load_encoder(path)

    assert isinstance(loaded, StaticEncoder)
    assert loaded.manifest["training"] == {"seed": 3}
    assert loaded.vocabulary.words == WORDS
    for text in ("turn on the light", "unheard café", ""):
        np.testing.assert_array_equal(loaded.encode(text), encoder.encode(text))
    assert loaded.template_quantizer is not None
    assert encoder.template_quantizer is not None
    np.testing.assert_array_equal(
        loaded.template_quantizer.codebook, encoder.template_quantizer.codebook
    )
    again = tmp_path / "again.safetensors"
    save_model(again, *loaded.to_model_file_parts())
    assert again.read_bytes() == path.read_bytes()


def test_a_copy_changes_the_named_arguments_and_shares_the_rest() -> None:
    encoder = _with_ngrams().replace(counts=np.arange(5), manifest={"training": {"seed": 3}})

    copy = encoder.replace(ngrams=None)

    assert copy.ngrams is None and copy.ngram_settings is None
    assert copy.words is encoder.words and copy.vocabulary is encoder.vocabulary
    assert copy.counts is encoder.counts and copy.manifest == encoder.manifest
    with pytest.raises(TypeError):
        encoder.replace(colour="red")


def test_counts_are_saved_and_loaded(tmp_path: Path) -> None:
    path = tmp_path / "counted.safetensors"
    save_model(path, *_encoder(counts=np.array([9, 7, 5, 3, 1], np.uint32)).to_model_file_parts())

    counts = load_encoder(path).counts

    assert counts is not None and counts.dtype == np.uint32 and counts.tolist() == [9, 7, 5, 3, 1]
    assert "vocabulary.counts" not in _encoder().to_model_file_parts()[1]


def test_parts_that_a_copy_lacks_are_not_in_its_manifest() -> None:
    manifest, tensors = _with_ngrams().to_model_file_parts()
    copy = _encoder(manifest=manifest)

    manifest, tensors = copy.to_model_file_parts()

    assert not {"ngrams", "ngram_settings", "template_quantizer"} & manifest.keys()
    assert not any(name.startswith("ngrams") for name in tensors)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"words": DenseMatrix(_vectors(4))}, "5 words, but 4 vectors"),
        ({"tokenizer_spec": {"name": "runes"}}, "unknown tokenizer"),
        ({"ngrams": DenseMatrix(_vectors(7))}, "needs n-gram settings"),
        (
            {"ngrams": DenseMatrix(_vectors(6)), "ngram_settings": NGRAMS},
            "7 n-gram buckets of dim 8 are expected",
        ),
        ({"ngrams": DenseMatrix(_vectors(7, 4)), "ngram_settings": NGRAMS}, "7, 4.*of dim 8"),
        ({"counts": np.ones(4, np.int64)}, "5 whole numbers"),
        ({"counts": np.ones(5, np.float32)}, "5 whole numbers"),
        (
            {"template_quantizer": Quantizer(np.ones((1, 2, 2), np.float32), 4, False)},
            "4 dimensions",
        ),
    ],
)
def test_parts_that_do_not_fit_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelFileError, match=message):
        _encoder(**settings)


@pytest.mark.parametrize(
    ("manifest", "tensors", "message"),
    [
        ({"kind": "magic"}, {}, "unknown encoder kind 'magic'"),
        ({"tokenizer": None}, {}, "no object 'tokenizer'"),
        ({"tokenizer": {"name": "runes"}}, {}, "unknown tokenizer"),
        ({"words": None}, {}, "no object 'words'"),
        ({"words": {"num": 3, "dim": 8}}, {}, "words"),
        ({"dim": 9}, {}, "has dim 9"),
        ({"ngrams": {"num": 7, "dim": 8}}, {}, "ngrams.embedding"),
        (
            {"ngrams": {"num": 5, "dim": 8}},
            {"ngrams.embedding": _vectors(5)},
            "no object 'ngram_settings'",
        ),
        ({}, {"vocabulary.counts": np.ones(4, np.uint32)}, "whole numbers"),
        ({}, {"vocabulary.bytes": np.zeros(3, np.int8)}, "vocabulary.bytes"),
        ({}, {TEMPLATE_CODEBOOK: np.zeros(3, np.float16)}, "template"),
        ({}, {TEMPLATE_CODEBOOK: np.zeros((3, 2, 2), np.float16)}, "do not fit"),
        ({}, {TEMPLATE_CODEBOOK: np.full((1, 2, 2), np.inf, np.float16)}, "finite"),
    ],
)
def test_a_file_whose_parts_do_not_fit_is_refused_by_name(
    tmp_path: Path, manifest: dict[str, Any], tensors: dict[str, np.ndarray], message: str
) -> None:
    good_manifest, good_tensors = _encoder().to_model_file_parts()
    path = tmp_path / "odd.safetensors"
    content = {"format_version": 1, **good_manifest, **manifest}
    path.write_bytes(seal(Parts(content, {**good_tensors, **tensors})))

    with pytest.raises(ModelFileError, match=message) as raised:
        load_encoder(path)
    assert str(path) in str(raised.value)


def test_without_a_path_the_default_model_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shipped_models, "_ASSETS", tmp_path)
    save_model(tmp_path / "default.safetensors", *_encoder().to_model_file_parts())
    assert load_encoder().dim == 8


def test_a_batch_of_real_texts_is_equal_to_the_bit(data_dir: Path, compressed_model: Path) -> None:
    path = data_dir / "intents" / "clinc150" / "train.jsonl"
    texts = [json.loads(line)["text"] for line in path.read_text("utf-8").splitlines()[::5]]
    encoder = load_encoder(compressed_model)

    batch = encoder.encode_batch([*texts, "", "unheardof worrds", "\N{GRINNING FACE}"])

    assert len(texts) > 2_000
    np.testing.assert_array_equal(batch[: len(texts)], np.stack([*map(encoder.encode, texts)]))


def test_the_labels_of_an_older_file_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "labelled.safetensors"
    manifest, tensors = _encoder().to_model_file_parts()
    labels = {"labels.embedding": np.ones((2, 8), np.float32)}
    save_model(path, manifest | {"labels": ["on", "off"]}, tensors | labels)
    again, same_tensors = load_encoder(path).to_model_file_parts()
    assert again == manifest and same_tensors.keys() == tensors.keys()
