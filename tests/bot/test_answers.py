from dataclasses import replace

from bot_answers import make_answer
from pocketintent import IntentRecognizer
from pocketintent.bot.answers import ask, count_answers, count_intents
from pocketintent.bot.utterances import Utterance

ANSWERS = [
    make_answer("a", "a"),
    make_answer("a", "a"),
    make_answer("a", "b"),
    make_answer("a", "a", reason="below_threshold"),
    make_answer("b", "b"),
    make_answer("b", "a", reason="ambiguous"),
    make_answer("b", None, reason="unknown_words"),
    make_answer("b", "b", reason="below_threshold"),
    make_answer(None, "b"),
    make_answer(None, "a", reason="below_threshold"),
]


def test_figures_are_shares_of_the_utterances_with_and_without_an_intent() -> None:
    assert count_answers(ANSWERS) == {
        "num_in_scope": 8,
        "num_out_of_scope": 2,
        "accuracy": 3 / 8,
        "accuracy_without_threshold": 5 / 8,
        "wrong": 1 / 8,
        "refused": 4 / 8,
        "refused_by_reason": {"below_threshold": 2 / 8, "ambiguous": 1 / 8, "unknown_words": 1 / 8},
        "out_of_scope_accepted": 1 / 2,
        "answered_rightly": 4 / 10,
    }


def test_a_share_of_nothing_is_none() -> None:
    outside = count_answers(ANSWERS[-2:])
    assert (outside["accuracy"], outside["wrong"], outside["refused"]) == (None, None, None)
    assert outside["refused_by_reason"] == {}
    assert count_answers(ANSWERS[:1])["out_of_scope_accepted"] is None
    assert count_answers([])["answered_rightly"] is None


def test_each_intent_has_its_counts_precision_and_recall() -> None:
    assert count_intents(ANSWERS, ["b", "a", "c"]) == [
        {"intent": "b", "count": 4, "given": 3, "precision": 1 / 3, "recall": 1 / 4},
        {"intent": "a", "count": 4, "given": 2, "precision": 1.0, "recall": 2 / 4},
        {"intent": "c", "count": 0, "given": 0, "precision": None, "recall": None},
    ]


def test_the_answers_are_the_matches_of_the_recognizer(
    recognizer: IntentRecognizer, utterances: list[Utterance]
) -> None:
    answers = ask(recognizer, utterances)
    assert [answer.utterance for answer in answers] == utterances
    assert [answer.match for answer in answers] == recognizer.match_batch(
        [utterance.text for utterance in utterances]
    )
    assert [answer.is_right for answer in answers[:4]] == [True, True, True, False]
    assert [answer.in_scope for answer in answers] == [True] * 6 + [False] * 2


def test_texts_on_the_bots_own_subject_are_counted_apart_where_they_are_marked() -> None:
    unmarked = [make_answer("a", "a"), make_answer(None, "a"), make_answer(None, None)]
    assert "out_of_scope_by_subject" not in count_answers(unmarked)
    own = [
        replace(answer, utterance=replace(answer.utterance, subject="own"))
        for answer in (make_answer(None, "a"), make_answer(None, "a", reason="below_threshold"))
    ]
    figures = count_answers(unmarked + own)
    assert figures["out_of_scope_accepted"] == 0.5
    assert figures["out_of_scope_by_subject"] == {
        "own": {"count": 2, "accepted": 0.5},
        "other": {"count": 0, "accepted": None},
    }
