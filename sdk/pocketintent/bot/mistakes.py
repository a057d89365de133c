"""The mistakes of a test, the worst first, with the templates behind them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pocketintent.bot.answers import Answer
from pocketintent.recognizer import IntentRecognizer
from pocketintent.runtime.decision.results import Candidate


@dataclass(frozen=True)
class Mistake:
    """An utterance that got a wrong intent, or was refused although it belongs to an intent."""

    text: str
    """The utterance."""
    expected: str | None
    """Its intent; None if it belongs to none."""
    given: str | None
    """The intent that it got; None if it was refused."""
    reason: str | None
    """Why it was refused, see :class:`Match`."""
    nearest: str | None
    """The intent with the best score, also when it was refused."""
    score: float
    """The score of ``nearest``."""
    template: str | None
    """The nearest template of ``nearest``: the template at fault."""
    expected_score: float | None
    """The score of ``expected``; None if it has none."""
    expected_template: str | None
    """The nearest template of ``expected``."""
    runner_up: Candidate | None
    """The intent with the next score, which makes an ambiguous match ambiguous."""
    lead: float
    """How far ``nearest`` is before ``expected`` in score or, if the utterance belongs to no
    intent, above the threshold of ``nearest``; 0 if ``nearest`` is right, or None."""

    def to_dict(self) -> dict[str, Any]:
        """The mistake as a JSON object."""
        return asdict(self)


def find_mistakes(recognizer: IntentRecognizer, answers: Sequence[Answer]) -> list[Mistake]:
    """Find the wrong answers of a test, those with the largest lead first.

    Args:
        recognizer: The recogniser that gave the answers.
        answers: All answers.

    Returns:
        The mistakes. Among equal leads, such as the refusals of the right intent, the lowest
        score comes first.
    """
    templates = recognizer.templates
    mistakes = []
    for answer in answers:
        if answer.is_right:
            continue
        nearest = answer.match.nearest
        threshold = templates.threshold_of(nearest) if nearest is not None else 0.0
        mistakes.append(_explain(answer, _expected(recognizer, answer), threshold))
    return sorted(mistakes, key=lambda mistake: (-mistake.lead, mistake.score))


def _expected(recognizer: IntentRecognizer, answer: Answer) -> Candidate | None:
    """The expected intent with its score and nearest template; None if it has no score."""
    match, intent = answer.match, answer.utterance.intent
    if intent is None or match.nearest is None or match.template is None:
        return None
    if intent == match.nearest:
        return Candidate(intent, match.score, match.template)
    if match.runner_up is not None and intent == match.runner_up.intent:
        return match.runner_up
    ranking = recognizer.rank(answer.utterance.text, limit=len(recognizer.intents))
    return next((candidate for candidate in ranking if candidate.intent == intent), None)


def _explain(answer: Answer, expected: Candidate | None, threshold: float) -> Mistake:
    utterance, match = answer.utterance, answer.match
    if match.nearest is None or match.nearest == utterance.intent:
        lead = 0.0
    elif utterance.intent is None:
        lead = match.score - threshold
    else:
        lead = match.score - (-1.0 if expected is None else expected.score)
    return Mistake(
        text=utterance.text,
        expected=utterance.intent,
        given=match.intent,
        reason=match.reason,
        nearest=match.nearest,
        score=match.score,
        template=match.template,
        expected_score=None if expected is None else expected.score,
        expected_template=None if expected is None else expected.template,
        runner_up=match.runner_up,
        lead=lead,
    )
