"""The figures of answers that a page gave."""

from typing import Any

import pytest

from benchmarks.web.answers import summarise
from pocketintent.training.corpora.written_bots import WrittenBot, WrittenIntent

BOT = WrittenBot(
    "home",
    {
        "on": WrittenIntent(["lights on"], ["lamp on", "light please"]),
        "off": WrittenIntent(["lights off"], ["lamp off"]),
    },
    {"other_subjects": ["a pizza", "hello"], "own_subject": ["which lamps are on"]},
)


def found(intent: str | None, nearest: str, score: float) -> dict[str, Any]:
    return {"intent": intent, "nearest": nearest, "score": score}


def test_answers_are_counted_in_the_order_of_the_queries() -> None:
    answers = [
        found("on", "on", 0.9),
        found(None, "on", 0.4),
        found("on", "on", 0.6),
        found(None, "on", 0.3),
        found("off", "off", 0.5),
        found("on", "on", 0.8),
    ]
    row = summarise([BOT], {"home": answers}, has_threshold=True)
    assert row == {
        "phrasings": 3,
        "right": 1,
        "refused": 1,
        "other": 1,
        "in_front": 2,
        "accepted": {"other_subjects": 1, "own_subject": 1},
        "right_at_5_percent": 1,
        "threshold": pytest.approx(0.5),
    }


def test_a_system_without_a_threshold_gets_that_of_5_percent() -> None:
    answers = [found(name, name, score) for name, score in zip("aabbbb", range(6), strict=True)]
    answers[0] = found("on", "on", 4.5)
    row = summarise([BOT], {"home": answers}, has_threshold=False)
    assert row["threshold"] == pytest.approx(4)
    assert (row["right"], row["refused"], row["other"]) == (1, 2, 0)
    assert row["accepted"] == {"other_subjects": 0, "own_subject": 1}
