import numpy as np
import pytest

from index_rows import make_groups
from pocketintent.runtime.arrays import unit_rows
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.index.building import (
    add_centroid,
    fit_template_quantizer,
    index_templates,
)
from pocketintent.runtime.quantization.matrices import DenseMatrix
from pocketintent.runtime.templates.files import load_templates
from pocketintent.runtime.text.vocabulary import Vocabulary


def _random_encoder(num_words: int = 600, dim: int = 64) -> StaticEncoder:
    rng = np.random.default_rng(3)
    words = [f"w{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(num_words)]
    return StaticEncoder(
        Vocabulary(words), DenseMatrix(rng.normal(size=(num_words, dim)).astype(np.float32))
    )


def _random_templates(words: list[str], num_intents: int) -> dict[str, list[str]]:
    rng = np.random.default_rng(4)
    return {
        f"intent_{i}": [" ".join(rng.choice(words, 4)) for _ in range(5)]
        for i in range(num_intents)
    }


def test_an_edit_keeps_the_codebook_while_it_fits() -> None:
    encoder = _random_encoder()
    templates = _random_templates(encoder.vocabulary.words, 40)
    before = index_templates(encoder, load_templates(templates), "table")
    templates["new"] = ["waa wab", "wac"]

    after = index_templates(encoder, load_templates(templates), "table", before, before.intents)

    assert after.quantizer is before.quantizer
    assert after.intents["intent_0"] is before.intents["intent_0"]
    assert after.names[-1] == "new"


def test_an_edit_fits_a_new_codebook_when_the_error_has_grown() -> None:
    encoder = _random_encoder()
    before = index_templates(encoder, load_templates({"one": ["waa"]}), "table")
    assert before.intents["one"].error == pytest.approx(0, abs=1e-5)

    templates = {"one": ["waa"], **_random_templates(encoder.vocabulary.words, 40)}
    edited = {"one": ["waa"], "many": [t for texts in templates.values() for t in texts]}
    after = index_templates(encoder, load_templates(edited), "table", before, ["one"])

    assert after.quantizer is not before.quantizer
    rows = sum(len(intent.rows) for intent in after.intents.values())
    assert sum(intent.error for intent in after.intents.values()) / rows < 0.03


def test_a_codebook_that_the_model_brings_is_used_where_it_fits() -> None:
    plain = _random_encoder()
    templates = load_templates(_random_templates(plain.vocabulary.words, 10))
    texts = [text for intent in templates.intents.values() for text in intent.templates]
    fitting = fit_template_quantizer(plain.encode_batch(texts))
    foreign = fit_template_quantizer(np.ones((1, 64), np.float32))
    for quantizer, is_used in ((fitting, True), (foreign, False)):
        encoder = StaticEncoder(plain.vocabulary, plain.words, template_quantizer=quantizer)
        indexed = index_templates(encoder, templates, "table")
        assert (indexed.quantizer is quantizer) is is_used


def test_a_centroid_is_the_unit_mean_and_templates_that_cancel_out_have_their_first() -> None:
    a, b = np.eye(2, 3, dtype=np.float32)

    np.testing.assert_allclose(add_centroid(np.stack([a, b]))[-1], (a + b) / np.sqrt(2), atol=1e-7)
    np.testing.assert_array_equal(add_centroid(np.stack([a, -a]))[-1], a)


def test_few_templates_are_quantised_without_loss_and_many_with_little() -> None:
    few = make_groups([1], dim=32)[0]
    many = make_groups([400], dim=32)[0]
    for vectors, largest in ((few, 1e-6), (many, 0.03)):
        quantizer = fit_template_quantizer(vectors)
        errors = vectors - unit_rows(quantizer.decode_codes(quantizer.assign(vectors)))
        assert (errors**2).sum(axis=1).mean() < largest
        assert len(quantizer.codebook) == 1


def test_an_odd_dimension_has_codes_of_one_number() -> None:
    vectors = make_groups([5], dim=7)[0]

    assert fit_template_quantizer(vectors).sub_dim == 1
