"""What the core returns, with the fields of pocketintent's ``Match`` and ``Candidate``."""

from __future__ import annotations

from typing import NamedTuple


class NativeCandidate(NamedTuple):
    """An intent that a text could have."""

    intent: str
    """Name of the intent."""
    score: float
    """0..1, or -1..1 for the decisions ``nearest`` and ``nearest+centroid``."""
    template: str
    """The intent's template that is nearest to the text."""


class NativeMatch(NamedTuple):
    """The answer for one text."""

    intent: str | None
    """The recognised intent, or None; ``reason`` then says why."""
    score: float
    """The score of the nearest intent; 0 when there is none."""
    template: str | None
    """The nearest intent's template that is nearest to the text."""
    nearest: str | None
    """The intent with the highest score, even if it was refused."""
    runner_up: NativeCandidate | None
    """The next intent; None when there is no other."""
    margin: float | None
    """Score less the score of the runner-up; None without a runner-up."""
    reason: str | None
    """Why there is no intent, in the words of ``pintent_reason_text``; None if there is one."""
