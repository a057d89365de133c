"""Answers of an imagined recogniser, for the tests of figures and limits."""

from pocketintent.bot.answers import Answer
from pocketintent.bot.utterances import Utterance
from pocketintent.runtime.decision.results import Candidate, Match, Reason


def make_answer(
    expected: str | None,
    nearest: str | None,
    score: float = 0.9,
    *,
    margin: float | None = None,
    reason: Reason | None = None,
) -> Answer:
    """An answer with the nearest intent or, with a reason, its refusal."""
    runner_up = None if margin is None else Candidate("other", score - margin, "other text")
    template = None if nearest is None else f"{nearest} text"
    given = None if reason else nearest
    match = Match(given, score, template, nearest, runner_up, margin, reason)
    return Answer(Utterance(f"say {expected}", expected), match)
