import pytest

from pocketintent import IntentRecognizer, load_encoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent_export.conformance import NARROW, make_conformance


@pytest.fixture(scope="module")
def encoder() -> StaticEncoder:
    encoder = load_encoder()
    assert isinstance(encoder, StaticEncoder)
    return encoder


def test_no_line_hangs_on_a_rounding(encoder: StaticEncoder) -> None:
    recognizer = IntentRecognizer(encoder, "smart_home")
    for line in make_conformance(recognizer, encoder.graph_inputs(), seed=3):
        match = recognizer.match(line["text"])
        assert match.intent == line["intent"]
        assert match.nearest is None or abs(match.score - recognizer.threshold) >= NARROW
        assert match.margin is None or match.margin >= NARROW


def test_intents_that_are_equal_give_fewer_lines_and_an_end(encoder: StaticEncoder) -> None:
    recognizer = IntentRecognizer(encoder, {"a": ["turn on"], "b": ["turn on"]})
    lines = make_conformance(recognizer, encoder.graph_inputs(), seed=0)
    assert all(line["nearest"] is None for line in lines)
