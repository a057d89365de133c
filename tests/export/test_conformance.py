from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

from pocketintent import IntentRecognizer, load_encoder
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.graphs.inputs import Slots, TextInputs
from pocketintent.runtime.templates.files import load_templates
from pocketintent.runtime.text.languages import NEGATIONS, is_negated
from pocketintent.runtime.text.ngram_counts import NUM_BUCKETS, count_ngrams
from pocketintent_export.conformance import (
    NARROW,
    NUM_UTTERANCES,
    describe_text,
    make_conformance,
)
from pocketintent_export.kinds.registry import export_of


@pytest.fixture(scope="module")
def encoder() -> ModelEncoder:
    return load_encoder("fast")


@pytest.fixture(scope="module")
def recognizer(encoder: ModelEncoder) -> IntentRecognizer:
    return IntentRecognizer(encoder, "smart_home")


def _conformance(recognizer: IntentRecognizer, encoder: ModelEncoder, seed: int) -> list[Any]:
    return make_conformance(recognizer._bot, export_of(encoder).inputs(), seed)


@pytest.fixture(scope="module")
def lines(recognizer: IntentRecognizer, encoder: ModelEncoder) -> list[Any]:
    return _conformance(recognizer, encoder, seed=3)


def test_no_line_hangs_on_a_rounding(recognizer: IntentRecognizer, lines: list[Any]) -> None:
    for line in lines:
        match = recognizer.match(line["text"])
        assert match.intent == line["intent"]
        assert match.nearest is None or abs(match.score - recognizer.threshold) >= NARROW
        assert match.margin is None or match.margin >= NARROW


def test_no_line_has_a_template_or_a_runner_up_that_rounding_could_change(
    recognizer: IntentRecognizer, lines: list[Any]
) -> None:
    index, names = recognizer.indexed, recognizer.indexed.names
    for line in lines:
        vector = recognizer.encoder.encode(recognizer.read(line["text"]))
        for candidate in recognizer.rank(line["text"], limit=2):
            _, similarities = index.template_scores(names.index(candidate.intent), vector)
            assert (similarities > similarities.max() - NARROW).sum() == 1
        scores = np.sort(line["scores"])[::-1]
        assert not scores.any() or scores[1] - scores[2] >= NARROW * scores[1]


def test_a_line_has_every_value_of_the_match_and_what_it_is_made_of(
    recognizer: IntentRecognizer, lines: list[Any]
) -> None:
    names = recognizer.indexed.names
    for line in lines:
        assert {key: line[key] for key in recognizer.match("").to_dict()} == (
            recognizer.match(line["text"]).to_dict()
        )
        counts = np.zeros(NUM_BUCKETS)
        for bucket, count in line["ngram_counts"]:
            counts[bucket] = count
        np.testing.assert_array_equal(counts, count_ngrams(recognizer.read(line["text"])))
        ranked = {c.intent: c.score for c in recognizer.rank(line["text"], len(names))}
        expected = [ranked.get(name, 0.0) for name in names]
        np.testing.assert_allclose(line["scores"], expected, atol=1e-6)


def test_lines_of_a_bot_that_looks_for_negations_have_the_feature(encoder: ModelEncoder) -> None:
    templates = load_templates("smart_home")
    templates.add_intent("lights_on", [], counter_examples=["don't turn the lights on"])
    recognizer = IntentRecognizer(encoder, templates)

    lines = _conformance(recognizer, encoder, seed=0)

    flags = {line["text"]: line["negation"] for line in lines}
    assert all(
        pairs == ([[0, 1]] if is_negated(recognizer.read(text), NEGATIONS["en"]) else [])
        for text, pairs in flags.items()
    )
    assert sum(map(len, flags.values())) > 10


def test_a_line_has_a_typing_error_that_hostile_characters_keep(
    recognizer: IntentRecognizer, lines: list[Any]
) -> None:
    unchanged = [line for line in lines if recognizer.read(line["text"]) == line["text"]]
    words = [token for line in unchanged for token in line["tokens"] if token.isalpha()]
    assert any(recognizer.read(word) != word for word in words)


def test_a_decision_without_ngrams_has_none_in_its_lines(encoder: ModelEncoder) -> None:
    recognizer = IntentRecognizer(
        encoder, {"a": ["lamp on"], "b": ["jazz"]}, decision="nearest+centroid"
    )
    lines = _conformance(recognizer, encoder, seed=0)
    assert lines and all({"ngram_counts", "negation"}.isdisjoint(line) for line in lines)


def test_templates_with_equal_vectors_leave_no_decision_out(encoder: ModelEncoder) -> None:
    twins = {"templates": ["turn on the light", "Turn on the light!"]}
    intents = {"on": twins, "off": {"templates": ["turn off the light"]}}
    recognizer = IntentRecognizer(encoder, {"intents": intents, "learn_names": False})
    lines = _conformance(recognizer, encoder, seed=0)
    assert len(lines) == NUM_UTTERANCES
    assert {line["template"] for line in lines} == {None, "turn on the light", "turn off the light"}


def test_intents_that_are_equal_give_fewer_lines_and_an_end(encoder: ModelEncoder) -> None:
    intents = {name: {"templates": ["turn on"]} for name in ("a", "b")}
    recognizer = IntentRecognizer(encoder, {"intents": intents, "learn_names": False})
    lines = _conformance(recognizer, encoder, seed=0)
    assert all(line["nearest"] is None for line in lines)


def test_a_line_has_the_fields_that_the_model_takes() -> None:
    slots = Slots(np.array([1], np.int32), np.ones(1, np.float32))
    assert list(describe_text(TextInputs(["turn"], slots))) == ["tokens", "ids", "weights"]
    combined = describe_text(TextInputs(["turn"], slots, [[2]]))
    assert list(combined) == ["tokens", "ids", "weights", "characters"]
    spelt = describe_text(TextInputs(["abc"], None, [[2, 3, 4]]))
    assert spelt == {"tokens": ["abc"], "characters": [[2, 3, 4]]}
    assert describe_text(TextInputs(characters=[2, 3, 4])) == {"characters": [2, 3, 4]}
    assert describe_text(TextInputs([], None, [])) == {"tokens": [], "characters": []}
