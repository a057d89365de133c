from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bot_answers import make_answer
from pocketintent import IntentRecognizer
from pocketintent.bot.answers import Answer, ask
from pocketintent.bot.limits import Limits, choose_limits
from pocketintent.bot.utterances import Utterance
from pocketintent.runtime.templates.template_set import TemplateSet, parse_templates

INTENTS = ["a", "b"]
HUNDREDTHS = st.integers(-100, 100).map(lambda number: number / 100)
ANSWERS = st.builds(
    make_answer,
    st.sampled_from([*INTENTS, None]),
    st.sampled_from(INTENTS),
    HUNDREDTHS,
    margin=st.none() | st.integers(0, 50).map(lambda number: number / 100),
    reason=st.sampled_from([None, "below_threshold", "counter_example"]),
)


def make_set(threshold: float, margin: float, own: float | None = None) -> TemplateSet:
    intents = {name: {"templates": [name]} for name in INTENTS}
    if own is not None:
        intents["b"]["threshold"] = own  # type: ignore[assignment]
    return parse_templates({"threshold": threshold, "margin": margin, "intents": intents})


def count_right(answers: Sequence[Answer], limits: Limits, templates: TemplateSet) -> int:
    """Right answers with other limits, straight from their definition."""
    right = 0
    for answer in answers:
        match, nearest = answer.match, answer.match.nearest
        given = None
        if nearest is not None and match.reason != "counter_example":
            own = templates.intents[nearest].threshold
            is_near = match.score >= (limits.threshold if own is None else own)
            if is_near and (match.margin is None or match.margin >= limits.margin):
                given = nearest
        right += given == answer.utterance.intent
    return right


@given(
    st.lists(ANSWERS, min_size=1, max_size=12),
    st.floats(-1, 1),
    st.floats(0, 1),
    st.none() | st.floats(-1, 1),
)
def test_no_other_limits_are_better_and_equal_ones_are_no_nearer(
    answers: list[Answer], threshold: float, margin: float, own: float | None
) -> None:
    templates = make_set(threshold, margin, own)
    chosen = choose_limits(answers, templates)
    best = count_right(answers, chosen, templates)
    distance = abs(chosen.threshold - threshold) + abs(chosen.margin - margin)
    thresholds = [*np.arange(-100, 101, 10) / 100, threshold, chosen.threshold]
    margins = [*np.arange(0, 60, 5) / 100, margin, chosen.margin]
    for other in (Limits(t, m) for t in thresholds for m in margins):
        gain = count_right(answers, other, templates)
        assert gain <= best
        if gain == best:
            far = abs(other.threshold - threshold) + abs(other.margin - margin)
            assert far >= distance - 1e-12


def test_limits_that_cannot_be_better_stay() -> None:
    answers = [make_answer("a", "a", 0.8, margin=0.3), make_answer(None, "a", 0.1, margin=0.1)]
    assert choose_limits(answers, make_set(0.123, 0.011)) == (0.123, 0.011)


def test_the_threshold_goes_as_far_as_it_must() -> None:
    answers = [make_answer("a", "a", 0.4), make_answer(None, "a", 0.25)]
    assert choose_limits(answers, make_set(0.5, 0.0)) == (0.4, 0.0)
    assert choose_limits(answers, make_set(0.1, 0.0)) == (0.26, 0.0)


def test_the_margin_refuses_what_the_threshold_cannot() -> None:
    answers = [
        make_answer("a", "a", 0.6, margin=0.2),
        make_answer("a", "a", 0.9, margin=0.3),
        make_answer(None, "a", 0.8, margin=0.05),
    ]
    assert choose_limits(answers, make_set(0.5, 0.0)) == (0.5, 0.06)


def test_the_threshold_of_an_intent_stays() -> None:
    answers = [make_answer("b", "b", 0.4), make_answer(None, "b", 0.9), make_answer("a", "a", 0.3)]
    assert choose_limits(answers, make_set(0.5, 0.0, own=0.95)).threshold == 0.3
    assert choose_limits(answers[:2], make_set(0.5, 0.0, own=0.95)) == (0.5, 0.0)


def test_utterances_that_can_only_be_refused_choose_nothing() -> None:
    answers = [make_answer("a", None, 0.0, reason="unknown_words"), make_answer("a", "b", 0.7)]
    assert choose_limits(answers, make_set(0.45, 0.03)) == (0.45, 0.03)


def test_counter_examples_are_refused_by_their_words_and_choose_nothing() -> None:
    right = [make_answer("a", "a", 0.9), make_answer("b", "b", 0.8)]
    refused = [make_answer(None, "a", 0.99, reason="counter_example")] * 5
    assert choose_limits(right + refused, make_set(0.5, 0.0)) == (0.5, 0.0)


def test_the_recognizer_answers_as_the_choice_expects(
    recognizer: IntentRecognizer, utterances: list[Utterance]
) -> None:
    answers, templates = ask(recognizer, utterances), recognizer.templates
    chosen = choose_limits(answers, templates)
    recognizer.threshold, recognizer.margin = chosen
    right = sum(answer.is_right for answer in ask(recognizer, utterances))
    assert right == count_right(answers, chosen, templates)
    assert right >= sum(answer.is_right for answer in answers)
