"""The answers of a recogniser to labelled utterances, and the figures of a test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pocketintent.bot.utterances import SUBJECTS, Utterance
from pocketintent.recognizer import IntentRecognizer
from pocketintent.runtime.decision.results import Match


@dataclass(frozen=True)
class Answer:
    """What a recogniser made of a labelled utterance."""

    utterance: Utterance
    """The text and the intent that it should get."""
    match: Match
    """The intent that it got, with scores."""

    @property
    def in_scope(self) -> bool:
        """Whether the utterance belongs to an intent."""
        return self.utterance.intent is not None

    @property
    def is_right(self) -> bool:
        """Whether the utterance got its intent or, if it belongs to none, was refused."""
        return self.match.intent == self.utterance.intent


def ask(recognizer: IntentRecognizer, utterances: Sequence[Utterance]) -> list[Answer]:
    """Match each utterance."""
    matches = recognizer.match_batch(utterance.text for utterance in utterances)
    return [Answer(*pair) for pair in zip(utterances, matches, strict=True)]


def count_answers(answers: Sequence[Answer]) -> dict[str, Any]:
    """Return the figures of a test.

    Returns:
        ``num_in_scope`` and ``num_out_of_scope``, the utterances that belong to an intent and
        to none; as shares of the first, ``accuracy`` (accepted with the right intent),
        ``accuracy_without_threshold`` (whose best intent is right, accepted or not), ``wrong``
        (accepted with another), ``refused``, and ``refused_by_reason``, a mapping from the reasons
        that occur; ``out_of_scope_accepted``, a share of the second, and, where utterances say
        what they are about, ``out_of_scope_by_subject``, the ``count`` of those on the bot's
        ``own`` subject and on an ``other`` one, and the share ``accepted`` of them; and
        ``answered_rightly``, the share of all utterances that got their intent or were correctly
        refused. A share of nothing is None.
    """
    inside = [answer for answer in answers if answer.in_scope]
    outside = [answer for answer in answers if not answer.in_scope]
    reasons = Counter(answer.match.reason for answer in inside if answer.match.reason)
    num_right = sum(answer.is_right for answer in inside)
    num_nearest_right = sum(answer.match.nearest == answer.utterance.intent for answer in inside)
    num_refused = sum(reasons.values())
    return {
        "num_in_scope": len(inside),
        "num_out_of_scope": len(outside),
        "accuracy": share(num_right, len(inside)),
        "accuracy_without_threshold": share(num_nearest_right, len(inside)),
        "wrong": share(len(inside) - num_right - num_refused, len(inside)),
        "refused": share(num_refused, len(inside)),
        "refused_by_reason": {
            reason: share(count, len(inside)) for reason, count in reasons.most_common()
        },
        "out_of_scope_accepted": _accepted(outside),
        **_by_subject(outside),
        "answered_rightly": share(sum(answer.is_right for answer in answers), len(answers)),
    }


def _by_subject(outside: Sequence[Answer]) -> dict[str, Any]:
    """The entry ``out_of_scope_by_subject``, if an utterance says what it is about."""
    counts = {
        subject: [answer for answer in outside if answer.utterance.subject == subject]
        for subject in SUBJECTS
    }
    entry = {
        subject: {"count": len(answers), "accepted": _accepted(answers)}
        for subject, answers in counts.items()
    }
    return {"out_of_scope_by_subject": entry} if any(counts.values()) else {}


def _accepted(outside: Sequence[Answer]) -> float | None:
    """The share of utterances without an intent that got one."""
    return share(sum(not answer.is_right for answer in outside), len(outside))


def count_intents(answers: Sequence[Answer], intents: Sequence[str]) -> list[dict[str, Any]]:
    """Return the figures of each intent.

    Returns:
        For each intent ``intent``, its name; ``count``, the utterances that belong to it;
        ``given``, the utterances that got it; ``precision``, the right share of the latter, and
        ``recall``, the share of the former that got it, each None as a share of nothing.
    """
    counts = Counter(answer.utterance.intent for answer in answers)
    given = Counter(answer.match.intent for answer in answers)
    right = Counter(answer.match.intent for answer in answers if answer.is_right)
    return [
        {
            "intent": name,
            "count": counts[name],
            "given": given[name],
            "precision": share(right[name], given[name]),
            "recall": share(right[name], counts[name]),
        }
        for name in intents
    ]


def share(part: int, whole: int) -> float | None:
    """A share of a number of utterances; None without any."""
    return part / whole if whole else None
