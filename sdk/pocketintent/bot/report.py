"""The test of a bot: a recogniser against labelled utterances."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

from pocketintent.bot.answers import Answer, ask, count_answers, count_intents
from pocketintent.bot.confusion import ConfusionMatrix
from pocketintent.bot.limits import Limits, choose_limits
from pocketintent.bot.mistakes import find_mistakes
from pocketintent.bot.utterances import Utterance, find_warnings
from pocketintent.recognizer import IntentRecognizer


def evaluate_bot(
    recognizer: IntentRecognizer, utterances: Sequence[Utterance], *, worst: int = 10
) -> tuple[dict[str, Any], ConfusionMatrix]:
    """Match labelled utterances and report how they were answered.

    Args:
        recognizer: The bot; it is left as it is.
        utterances: The utterances; their intents are intents of the bot.
        worst: Most mistakes of each kind in the report.

    Returns:
        The report and the confusion matrix. The report has the figures of
        :func:`count_answers`; ``decision``, ``threshold`` and ``margin`` of the recogniser;
        ``intents``, see :func:`count_intents`; ``confusion``, see
        :meth:`ConfusionMatrix.to_dict`; ``confusions`` and ``refusals``, the worst mistakes with
        and without an intent, see :class:`Mistake`; ``choice``, the ``threshold`` and ``margin``
        of :func:`choose_limits`, and the figures ``before`` and ``after``; and ``warnings``, a
        list of sentences.
    """
    answers = ask(recognizer, utterances)
    matrix = ConfusionMatrix.count(answers, recognizer.intents)
    mistakes = find_mistakes(recognizer, answers)
    figures = count_answers(answers)
    report = {
        **figures,
        "decision": recognizer.decision,
        "threshold": recognizer.threshold,
        "margin": recognizer.margin,
        "intents": count_intents(answers, recognizer.intents),
        "confusion": matrix.to_dict(),
        "confusions": [m.to_dict() for m in mistakes if m.given is not None][:worst],
        "refusals": [m.to_dict() for m in mistakes if m.given is None][:worst],
        "choice": _choose(recognizer, answers, figures),
        "warnings": find_warnings(utterances, recognizer.templates),
    }
    return report, matrix


def _choose(
    recognizer: IntentRecognizer, answers: Sequence[Answer], before: dict[str, Any]
) -> dict[str, Any]:
    """The limits that the answers would choose, and the figures measured with them.

    The current limits stay where the choice is measured to be worse.
    """
    limits = choose_limits(answers, recognizer.templates)
    changed = copy(recognizer)
    changed.threshold, changed.margin = limits
    after = count_answers(ask(changed, [answer.utterance for answer in answers]))
    if answers and after["answered_rightly"] < before["answered_rightly"]:
        limits, after = Limits(recognizer.threshold, recognizer.margin), before
    return {**limits._asdict(), "before": before, "after": after}
