"""The figures of what the bots of a system answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pocketintent.evaluation.bots.answers import BotAnswers, summarise_answers
from pocketintent.runtime.decision.results import Match
from pocketintent.training.corpora.written_bots import WrittenBot

Found = Mapping[str, Any]
"""An answer of a page: `intent`, `nearest` and `score`."""


def summarise(
    bots: Sequence[WrittenBot], found: Mapping[str, Sequence[Found]], *, has_threshold: bool
) -> dict[str, Any]:
    """Counts of the phrasings and of the texts that are for no intent.

    Args:
        bots: The bots.
        found: The answers to the queries of each bot, by its name.
        has_threshold: Whether the system has a threshold. One that has none gets that at which it
            accepts 5 % of the texts on other subjects, of all bots together.

    Returns:
        ``phrasings``; how many of them are ``right``, ``refused`` and ``other``, and have the right
        intent ``in_front``; ``right_at_5_percent`` and ``threshold``, as of ``pocketintent evaluate
        bots``; ``accepted``, by kind of text.
    """
    answers = [_of_bot(bot, found[bot.name]) for bot in bots]
    row = summarise_answers(answers)
    if not has_threshold:
        least = row["right_at_5_percent"]["threshold"]
        row = summarise_answers([_with_threshold(bot, least) for bot in answers])
    counts = {name: row[name]["count"] for name in ("right", "refused", "other", "in_front")}
    return {
        "phrasings": sum(len(bot.phrasings) for bot in answers),
        **counts,
        "accepted": {name: share["count"] for name, share in row["accepted"].items()},
        "right_at_5_percent": row["right_at_5_percent"]["count"],
        "threshold": row["right_at_5_percent"]["threshold"],
    }


def _of_bot(bot: WrittenBot, found: Sequence[Found]) -> BotAnswers:
    """The answers of a bot, in the order of its queries."""
    matches = iter(_as_match(each) for each in found)
    phrasings = [(name, next(matches)) for name, own in bot.intents.items() for _ in own.phrasings]
    foreign = {name: [next(matches) for _ in texts] for name, texts in bot.foreign.items()}
    return BotAnswers(phrasings, foreign)


def _as_match(found: Found) -> Match:
    return Match(
        intent=found["intent"],
        score=found["score"],
        template=None,
        nearest=found["nearest"],
        runner_up=None,
        margin=None,
        reason=None,
    )


def _with_threshold(bot: BotAnswers, least: float) -> BotAnswers:
    def decide(match: Match) -> Match:
        return replace(match, intent=match.nearest if match.score >= least else None)

    phrasings = [(name, decide(match)) for name, match in bot.phrasings]
    foreign = {name: [decide(match) for match in found] for name, found in bot.foreign.items()}
    return BotAnswers(phrasings, foreign)
