"""What a recogniser returns: a :class:`Match`, and the :class:`Candidate` of a ranking."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

Reason = Literal["counter_example", "below_threshold", "ambiguous", "unknown_words", "no_templates"]


@dataclass(frozen=True)
class Candidate:
    """An intent that a text could have."""

    intent: str
    """Name of the intent."""
    score: float
    """The probability that the text has the intent, 0..1; with the decisions ``nearest`` and
    ``nearest+centroid`` its similarity to the intent, -1..1."""
    template: str
    """The intent's template that is nearest to the text."""

    def to_dict(self) -> dict[str, Any]:
        """The candidate as a JSON object: ``intent``, ``score`` and ``template``."""
        return asdict(self)


@dataclass(frozen=True)
class Match:
    """The answer of the recogniser for one text."""

    intent: str | None
    """The recognised intent, or None; ``reason`` then says why."""
    score: float
    """The score of the nearest intent, as :attr:`Candidate.score`; 0 when there is none."""
    template: str | None
    """The nearest intent's template that is nearest to the text."""
    nearest: str | None
    """The intent with the highest score, even if it was refused."""
    runner_up: Candidate | None
    """The next intent; None when there is no other."""
    margin: float | None
    """Score less the score of the runner-up, 0..2; None without a runner-up."""
    reason: Reason | None
    """Why there is no intent: ``counter_example``, the text has the words of a counter-example of
    the nearest intent, or of a text without an intent; ``below_threshold``, the score is under
    the intent's threshold; ``ambiguous``, the runner-up is closer than the margin;
    ``unknown_words``, the encoder knows nothing in the text, for example because it is empty;
    ``no_templates``, the set has no template that the encoder knows. None if there is one."""

    def to_dict(self) -> dict[str, Any]:
        """The match as a JSON object, with the fields in order under their names.

        ``runner_up`` is an object with ``intent``, ``score`` and ``template``, or None.
        """
        return asdict(self)
