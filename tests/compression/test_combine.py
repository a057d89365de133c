from typing import Any

import numpy as np
import pytest

from models.random_networks import random_network
from pocketintent.compression.codebooks import encode_matrix, fit_quantizer
from pocketintent.compression.combine import combine_encoders
from pocketintent.compression.prune import with_compact_counts
from pocketintent.compression.quantise import quantise_encoder
from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.charemb.encoder import CharEncoder
from pocketintent.runtime.encoders.charemb.network import CharNetwork
from pocketintent.runtime.encoders.combined import DEFAULT_ATTENTION, Attention, CombinedEncoder
from pocketintent.runtime.encoders.parts import round_counts
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.quantization.matrices import DenseMatrix, QuantizedMatrix
from pocketintent.runtime.quantization.quantizer import Quantizer
from pocketintent.runtime.text.characters import CharVocabulary
from pocketintent.runtime.text.ngrams import NgramSettings
from pocketintent.runtime.text.tokenizer import SIMPLE_SPEC
from pocketintent.runtime.text.vocabulary import Vocabulary

DIM = 12
LETTERS = "abcdefghij"
WORDS = [*(first + second for first in LETTERS for second in LETTERS), "日"]
NGRAMS = NgramSettings(2, 3, 4)


def make_characters(dim: int = DIM, **options: Any) -> CharEncoder:
    rng = np.random.default_rng(1)
    network = CharNetwork(dim=dim, char_dim=6, hidden=8, mlp=16)
    vocabulary = CharVocabulary(f" {LETTERS}", max_chars=16)
    return random_network(network, vocabulary, rng, scale=0.7, **options)


def make_words(characters: CharEncoder, *, quantised: bool = False) -> StaticEncoder:
    """Words that the network has learnt about as well as the smallest preset."""
    own = characters.embed_terms(WORDS)
    noise = np.random.default_rng(2).normal(0, 1, own.shape).astype(np.float32)
    vectors = own + noise * np.abs(own).mean()
    matrix: DenseMatrix | QuantizedMatrix = DenseMatrix(vectors)
    if quantised:
        matrix = encode_matrix(vectors, fit_quantizer(vectors, sub_dim=2, codebook_size=32))
    codebook = np.random.default_rng(3).normal(size=(1, 4, 2)).astype(np.float32)
    return StaticEncoder(
        Vocabulary(WORDS),
        matrix,
        ngrams=DenseMatrix(np.ones((4, DIM), np.float32)),
        ngram_settings=NGRAMS,
        template_quantizer=Quantizer(codebook, DIM, normalised=False),
        manifest={
            "training": {"seed": 1},
            "quality": {"old": 1.0},
            "compression": {"rotate": True},
        },
    )


@pytest.fixture(scope="module")
def characters() -> CharEncoder:
    return make_characters()


def blended(words: StaticEncoder, characters: CharEncoder, blend: float) -> FloatArray:
    """Compute the blended table word by word."""
    rows = []
    for word, vector in zip(words.vocabulary.words, words.words.decode(), strict=True):
        own = characters.embed_terms([word])[0]
        rows.append((1 - blend) * vector + blend * own if own.any() else vector)
    return np.array(rows, np.float32)


@pytest.mark.parametrize("blend", [0.0, 0.3])
def test_a_table_of_floats_becomes_the_plain_blend(characters: CharEncoder, blend: float) -> None:
    words = make_words(characters)
    before = words.words.decode().copy()
    combined = combine_encoders(words, characters, blend=blend)
    np.testing.assert_allclose(
        combined.words.words.decode(), blended(words, characters, blend), atol=1e-5
    )
    np.testing.assert_array_equal(words.words.decode(), before)
    assert isinstance(combined, CombinedEncoder)


def test_a_table_of_codes_is_quantised_again_in_its_basis(characters: CharEncoder) -> None:
    words = make_words(characters, quantised=True)
    combined = combine_encoders(words, characters, blend=0.3)
    table = combined.words.words
    assert isinstance(table, QuantizedMatrix)
    assert (table.quantizer.sub_dim, table.quantizer.codebook_size) == (2, 32)
    expected, decoded = blended(words, characters, 0.3), table.decode()
    cosines = np.einsum("nd,nd->n", expected, decoded)
    cosines /= np.linalg.norm(expected, axis=1) * np.linalg.norm(decoded, axis=1)
    assert cosines.min() > 0.9
    assert combined.manifest["compression"]["rotate"] is True


def test_codes_are_not_changed_without_a_blend(characters: CharEncoder) -> None:
    words = make_words(characters, quantised=True)
    combined = combine_encoders(words, characters, blend=0)
    assert combined.words.words is words.words
    assert words.manifest.keys() == {"training", "quality", "compression"}


def test_manifest_and_template_codebook_are_kept_without_ngrams(
    characters: CharEncoder,
) -> None:
    words = make_words(characters, quantised=True)
    combined = combine_encoders(words, characters, blend=0.25)
    assert combined.words.ngrams is None
    assert combined.template_quantizer is words.template_quantizer
    manifest = combined.manifest
    assert manifest["training"] == {"seed": 1}
    assert "quality" not in manifest
    assert manifest["combination"]["blend"] == 0.25
    assert 0.3 < manifest["combination"]["cosine"] < 1
    assert words.manifest["quality"] == {"old": 1.0}


def test_the_most_frequent_words_are_kept(characters: CharEncoder) -> None:
    words = make_words(characters)
    assert combine_encoders(words, characters, keep=5).vocabulary.words == WORDS[:5]
    counts = np.arange(len(WORDS))
    counted = words.replace(counts=counts)
    combined = combine_encoders(counted, characters, keep=5, sub_dim=3, codebook_size=4)
    assert set(combined.vocabulary.words) == set(WORDS[-5:])
    assert combined.words.counts is None


def test_words_that_were_compressed_are_weighted_by_their_counts(characters: CharEncoder) -> None:
    words = make_words(characters)
    counts = (100_000 / np.arange(1, len(WORDS) + 1) ** 2).astype(np.uint32) + 1
    compressed = with_compact_counts(
        quantise_encoder(words.replace(counts=counts), sub_dim=2, codebook_size=32, rotate=False)
    )

    def codebook(**changes: Any) -> FloatArray:
        combined = combine_encoders(compressed.replace(**changes), characters, codebook_size=16)
        assert isinstance(combined.words.words, QuantizedMatrix)
        power = combined.manifest["compression"]["count_power"]
        assert power == (0.0 if "counts" in changes and changes["counts"] is None else 0.5)
        return combined.words.words.quantizer.codebook

    weighted = codebook()
    rounded = {"counts": round_counts(counts), "compact_counts": False}
    np.testing.assert_array_equal(weighted, codebook(**rounded))
    exact = codebook(counts=counts, compact_counts=False)
    unweighted = codebook(counts=None)
    by_rounding = np.abs(weighted - exact).mean()
    assert by_rounding < 0.3 * np.abs(weighted - unweighted).mean()


def test_sizes_of_codes_can_be_given(characters: CharEncoder) -> None:
    words = make_words(characters)
    table = combine_encoders(words, characters, blend=0, sub_dim=3, codebook_size=16).words.words
    assert isinstance(table, QuantizedMatrix)
    assert (table.quantizer.sub_dim, table.quantizer.codebook_size) == (3, 16)
    quantised = make_words(characters, quantised=True)
    table = combine_encoders(quantised, characters, blend=0, codebook_size=16).words.words
    assert isinstance(table, QuantizedMatrix)
    assert (table.quantizer.sub_dim, table.quantizer.codebook_size) == (2, 16)


def test_the_attention_can_be_chosen_and_left_out(characters: CharEncoder) -> None:
    words = make_words(characters)
    assert combine_encoders(words, characters).attention == DEFAULT_ATTENTION
    chosen = Attention(0.25, 0.5)
    combined = combine_encoders(words, characters, attention=chosen)
    assert combined.attention == chosen
    alone = combine_encoders(words, characters, attention=None)
    assert alone.attention is None
    (before,), (after,) = alone.embed_unknown(["abx"]), combined.embed_unknown(["abx"])
    nearest = combined.words.words.decode() @ before
    assert not np.allclose(before, after)
    assert after @ combined.words.words.decode()[nearest.argmax()] > 0


def test_progress_counts_the_words(characters: CharEncoder) -> None:
    steps: list[tuple[str, int, int]] = []
    combine_encoders(make_words(characters), characters, progress=lambda *step: steps.append(step))
    assert steps[-1] == ("read words", len(WORDS), len(WORDS))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"blend": 1.0}, "blend is 1.0"),
        ({"blend": -0.1}, "blend is -0.1"),
        ({"blend": float("nan")}, "blend is nan"),
        ({"sub_dim": 5}, "sub_dim is 5"),
        ({"sub_dim": -1}, "sub_dim is -1"),
        ({"sub_dim": 0}, "sub_dim is 0"),
        ({"codebook_size": 4}, "codebook_size requires sub_dim"),
        ({"sub_dim": 3, "codebook_size": 0}, "codebook"),
        ({"keep": 0}, "keep"),
    ],
)
def test_invalid_settings_are_rejected(
    characters: CharEncoder, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(PocketIntentError, match=message):
        combine_encoders(make_words(characters), characters, **options)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"dim": 7}, "12 dimensions and the character network has 7"),
        ({"tokenizer_spec": {**SIMPLE_SPEC, "max_chars": 9}}, "tokenizer"),
    ],
)
def test_a_network_of_other_dimensions_or_tokenizer_is_rejected(
    characters: CharEncoder, other: dict[str, Any], message: str
) -> None:
    with pytest.raises(PocketIntentError, match=message):
        combine_encoders(make_words(characters), make_characters(**other))


@pytest.mark.parametrize("blend", [0.0, 0.3])
def test_a_network_of_another_space_is_rejected(characters: CharEncoder, blend: float) -> None:
    words = make_words(characters)
    turned = StaticEncoder(
        words.vocabulary, DenseMatrix(np.ascontiguousarray(-words.words.decode()))
    )
    with pytest.raises(PocketIntentError, match="trained on other vectors"):
        combine_encoders(turned, characters, blend=blend)
