"""A static encoder whose n-grams another program trained."""

import numpy as np
import pytest

from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.graphs.inputs import GraphInputs, Slots
from pocketintent.runtime.quantization.matrices import DenseMatrix
from pocketintent.runtime.text.ngrams import NgramSettings
from pocketintent.runtime.text.vocabulary import Vocabulary


def foreign_encoder(words: list[str], hash_name: str) -> StaticEncoder:
    """An encoder with random vectors, n-grams of four and five code points."""
    rng = np.random.default_rng(0)
    return StaticEncoder(
        Vocabulary(words),
        DenseMatrix(rng.standard_normal((len(words), 4), np.float32)),
        ngrams=DenseMatrix(rng.standard_normal((31, 4), np.float32)),
        ngram_settings=NgramSettings(4, 5, 31, hash=hash_name),
    )


def slots_of(encoder: StaticEncoder, text: str) -> Slots:
    inputs = GraphInputs(encoder.tokenizer_spec, encoder.vocabulary, encoder.ngram_settings)
    slots = inputs(text).slots
    assert slots is not None
    return slots


TEXTS = ["turn the light", "a b", "", "überall " * 30, "turn a", "a kitchen " * 20]


@pytest.mark.parametrize("hash_name", ["fasttext", "floret"])
@pytest.mark.parametrize("words", [[], ["turn", "the"]])
def test_texts_encoded_together_have_the_same_vectors(hash_name: str, words: list[str]) -> None:
    encoder = foreign_encoder(words, hash_name)
    together = encoder.encode_batch(TEXTS)
    assert np.isfinite(together).all()
    assert together.tobytes() == np.stack([encoder.encode(text) for text in TEXTS]).tobytes()


def test_a_word_without_ngrams_adds_nothing_and_has_no_slot() -> None:
    encoder = foreign_encoder(["turn", "the"], "fasttext")
    assert not encoder.encode("a b").any()
    assert np.array_equal(encoder.encode("turn a"), encoder.encode("turn"))
    assert slots_of(encoder, "turn a").ids.tolist() == [0]
    assert len(slots_of(encoder, "a b").ids) == 0


def test_the_slots_of_an_unknown_word_are_its_vector() -> None:
    encoder = foreign_encoder(["turn", "the"], "floret")
    ids, weights, _ = slots_of(encoder, "kitchen")
    rows = np.concatenate([encoder.words.decode(), encoder.tables()["ngrams"].decode()])
    expected = weights @ rows[ids]
    np.testing.assert_allclose(encoder.embed_tokens(["kitchen"])[0], expected, rtol=1e-5)
