import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent import IntentRecognizer, load_encoder
from pocketintent.runtime.encoders import StaticEncoder
from pocketintent.runtime.token_inputs import TokenInputs
from pocketintent_export.conformance import (
    HOSTILE,
    NARROW,
    CutEncoder,
    encode_slots,
    make_conformance,
)


@pytest.fixture(scope="module")
def encoder() -> StaticEncoder:
    encoder = load_encoder()
    assert isinstance(encoder, StaticEncoder)
    return encoder


def _inputs(encoder: StaticEncoder, max_length: int | None = None) -> TokenInputs:
    return TokenInputs(
        encoder.vocabulary, encoder.tokenizer_spec, encoder.ngram_settings, max_length
    )


@given(text=st.one_of(st.text(), st.sampled_from(HOSTILE)))
def test_slots_give_the_runtime_vector(encoder: StaticEncoder, text: str) -> None:
    vector = encode_slots(encoder, _inputs(encoder)(text))
    assert np.abs(vector - encoder.encode(text)).max() < 1e-5


def test_a_long_text_is_encoded_as_its_first_slots(encoder: StaticEncoder) -> None:
    cut = CutEncoder(encoder, _inputs(encoder, 3))
    assert np.allclose(cut.encode("turn on the lights please"), encoder.encode("turn on the"))
    assert np.array_equal(cut.encode("turn on"), encoder.encode("turn on"))


def test_no_line_hangs_on_a_rounding(encoder: StaticEncoder) -> None:
    recognizer = IntentRecognizer(encoder, "smart_home")
    for line in make_conformance(recognizer, _inputs(encoder), seed=3):
        match = recognizer.match(line["text"])
        assert match.intent == line["intent"]
        assert match.nearest is None or abs(match.score - recognizer.threshold) >= NARROW
        assert match.nearest is None or match.margin >= NARROW


def test_intents_that_are_equal_give_fewer_lines_and_an_end(encoder: StaticEncoder) -> None:
    recognizer = IntentRecognizer(encoder, {"a": ["turn on"], "b": ["turn on"]})
    lines = make_conformance(recognizer, _inputs(encoder), seed=0)
    assert all(line["nearest"] is None for line in lines)
