import json
from typing import Any

import pytest

from pocketintent import IntentRecognizer, PocketIntentError
from pocketintent.runtime.decision.explain import MAX_WORDS
from pocketintent.runtime.encoders.static import StaticEncoder

TEMPLATES = {
    "on": ["turn on the light", "lamp on", "switch the lamp on"],
    "off": ["turn off the light", "lamp off", "switch the lamp off"],
    "food": ["order a pizza", "i want pasta"],
}


@pytest.fixture(params=["logistic", "nearest", "nearest+centroid"])
def recognizer(tiny_encoder: StaticEncoder, request: pytest.FixtureRequest) -> IntentRecognizer:
    return IntentRecognizer(tiny_encoder, TEMPLATES, decision=request.param)


def test_the_share_of_a_word_is_what_the_score_loses_without_it(
    recognizer: IntentRecognizer,
) -> None:
    explanation = recognizer.explain("Please switch OFF the lamp!")
    assert explanation.match == recognizer.match("Please switch OFF the lamp!")
    assert [word.word for word in explanation.words] == ["please", "switch", "off", "the", "lamp"]

    def score(text: str) -> float:
        return next(c.score for c in recognizer.rank(text) if c.intent == "off")

    shares = {word.word: word.share for word in explanation.words}
    whole = score("please switch off the lamp")
    assert shares["off"] == pytest.approx(whole - score("please switch the lamp"), abs=1e-4)
    assert shares["off"] > shares["please"] + 0.1


def test_an_apostrophe_is_left_out_with_its_word(tiny_encoder: StaticEncoder) -> None:
    on = {"templates": ["turn on the light", "lamp on"], "except": ["don't turn on the light"]}
    bot = {"language": "en", "intents": {"on": on, "off": {"templates": TEMPLATES["off"]}}}
    recognizer = IntentRecognizer(tiny_encoder, bot)
    explanation = recognizer.explain("Don't turn on the light's lamp", "on")
    assert [w.word for w in explanation.words] == ["don't", "turn", "on", "the", "light's", "lamp"]

    def score(text: str) -> float:
        return next(c.score for c in recognizer.rank(text) if c.intent == "on")

    whole = score("don't turn on the light's lamp")
    without = {"don't": "turn on the light's lamp", "light's": "don't turn on the lamp"}
    shares = {word.word: word.share for word in explanation.words}
    for word, rest in without.items():
        assert shares[word] == pytest.approx(whole - score(rest), abs=1e-4)
    assert shares["don't"] < -0.01


def test_an_intent_that_is_not_the_match_is_explained_by_name(recognizer: IntentRecognizer) -> None:
    text = "please switch off the lamp"
    explanation = recognizer.explain(text, "on")
    ranked = {candidate.intent: candidate for candidate in recognizer.rank(text)}
    assert explanation.match.intent == "off" and explanation.candidate == ranked["on"]
    shares = {word.word: word.share for word in explanation.words}
    without = {c.intent: c.score for c in recognizer.rank("please switch the lamp")}
    assert shares["off"] == pytest.approx(ranked["on"].score - without["on"], abs=1e-4)
    with pytest.raises(PocketIntentError, match=r"no intent 'of' .*; known: food, off, on"):
        recognizer.explain(text, "of")


def test_the_text_that_refuses_another_is_shown(tiny_encoder: StaticEncoder) -> None:
    on = {"templates": TEMPLATES["on"], "except": ["lamp on in the film"]}
    intents = {"on": on, "off": {"templates": TEMPLATES["off"]}}
    recognizer = IntentRecognizer(tiny_encoder, {"intents": intents, "none": ["Lamp, never mind"]})
    assert recognizer.explain("Lamp on in the film!").counter_example == "lamp on in the film"
    assert recognizer.explain("lamp never mind").counter_example == "Lamp, never mind"
    assert recognizer.explain("lamp on").counter_example is None


def test_without_its_only_word_a_text_has_no_score(recognizer: IntentRecognizer) -> None:
    explanation = recognizer.explain("lamp")
    (word,) = explanation.words
    assert word.share == pytest.approx(explanation.match.score, abs=1e-4)


@pytest.mark.parametrize("text", ["", "zzz", "...", "\x00"])
def test_a_text_without_known_words_has_no_shares(recognizer: IntentRecognizer, text: str) -> None:
    explanation = recognizer.explain(text)
    assert explanation.words == () and explanation.match.reason == "unknown_words"


def test_the_number_of_words_is_limited(recognizer: IntentRecognizer) -> None:
    assert len(recognizer.explain("lamp on " * 5000).words) == MAX_WORDS


def test_an_explanation_is_plain_json(recognizer: IntentRecognizer) -> None:
    explanation = recognizer.explain("lamp off")
    read: dict[str, Any] = json.loads(json.dumps(explanation.to_dict(), allow_nan=False))
    assert read["match"] == explanation.match.to_dict()
    assert [word["word"] for word in read["words"]] == ["lamp", "off"]


def test_what_is_no_text_is_refused(recognizer: IntentRecognizer) -> None:
    with pytest.raises(TypeError, match="must be a str"):
        recognizer.explain(3)  # type: ignore[arg-type]
