import pytest

from pocketintent import IntentRecognizer
from pocketintent.bot.answers import ask
from pocketintent.bot.mistakes import Mistake, find_mistakes
from pocketintent.bot.utterances import Utterance


def find(recognizer: IntentRecognizer, *labels: tuple[str, str | None]) -> list[Mistake]:
    return find_mistakes(recognizer, ask(recognizer, [Utterance(*label) for label in labels]))


def test_a_confusion_has_both_intents_with_their_scores_and_templates(
    recognizer: IntentRecognizer,
) -> None:
    (mistake,) = find(recognizer, ("lights off", "lights_on"), ("lamp on", "lights_on"))
    match = recognizer.match("lights off")
    expected = mistake.runner_up
    assert expected is not None and expected.intent == "lights_on"
    assert (mistake.text, mistake.expected, mistake.given) == (
        "lights off",
        "lights_on",
        "lights_off",
    )
    assert (mistake.nearest, mistake.template) == ("lights_off", match.template)
    assert mistake.score == pytest.approx(match.score, abs=1e-6)
    assert (mistake.expected_score, mistake.expected_template) == (
        expected.score,
        expected.template,
    )
    assert mistake.lead == pytest.approx(match.score - expected.score, abs=1e-6)
    assert mistake.reason is None


def test_an_accepted_utterance_of_no_intent_leads_its_threshold(
    recognizer: IntentRecognizer,
) -> None:
    recognizer.threshold = -1.0
    mistakes = {m.given: m for m in find(recognizer, ("play music", None), ("lock on", None))}
    own, shared = mistakes["music"], mistakes["lights_on"]
    assert own.lead == pytest.approx(own.score - 0.7)
    assert shared.lead == pytest.approx(shared.score + 1.0)
    assert (shared.expected_score, shared.expected_template) == (None, None)


def test_the_largest_lead_comes_first_and_among_equal_leads_the_lowest_score(
    recognizer: IntentRecognizer,
) -> None:
    recognizer.threshold = 1.0
    mistakes = find(
        recognizer,
        ("zzz", "music"),
        ("the lamp on", "lights_on"),
        ("pizza lights on", "lights_on"),
        ("lamp off", "music"),
        ("lamp off", "lights_on"),
    )
    assert [(mistake.text, mistake.expected) for mistake in mistakes] == [
        ("lamp off", "music"),
        ("lamp off", "lights_on"),
        ("zzz", "music"),
        ("pizza lights on", "lights_on"),
        ("the lamp on", "lights_on"),
    ]
    unknown = mistakes[2]
    assert (unknown.reason, unknown.nearest, unknown.expected_score) == (
        "unknown_words",
        None,
        None,
    )


def test_a_refused_right_intent_has_its_score_twice_and_the_runner_up(
    recognizer: IntentRecognizer,
) -> None:
    recognizer.margin = 2.0
    (mistake,) = find(recognizer, ("lamp on", "lights_on"))
    assert mistake.reason == "ambiguous"
    assert (mistake.nearest, mistake.lead) == ("lights_on", 0.0)
    assert (mistake.expected_score, mistake.expected_template) == (mistake.score, mistake.template)
    assert mistake.runner_up is not None and mistake.runner_up.intent == "lights_off"
    assert mistake.to_dict()["runner_up"] == mistake.runner_up.to_dict()


def test_an_intent_that_is_in_no_ranking_has_no_score(recognizer: IntentRecognizer) -> None:
    recognizer.add_intent("silent", ["zzz"])
    (mistake,) = find(recognizer, ("lamp on", "silent"))
    assert (mistake.given, mistake.expected_score) == ("lights_on", None)
    assert mistake.lead == pytest.approx(mistake.score + 1.0)
