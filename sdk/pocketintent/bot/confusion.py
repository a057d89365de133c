"""The confusion matrix of a test: expected intents against given intents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pocketintent.bot.answers import Answer
from pocketintent.runtime.arrays import IndexArray

NO_INTENT = "(no intent)"
"""Label of the last row: utterances that belong to no intent."""

REFUSED = "(refused)"
"""Label of the last column: utterances that got no intent."""


@dataclass(frozen=True)
class ConfusionMatrix:
    """Numbers of utterances by expected intent (rows) and given intent (columns)."""

    intents: list[str]
    """The intents of the rows and columns but the last."""
    counts: IndexArray
    """Counts [num_intents + 1, num_intents + 1]. The last row has the utterances that belong to
    no intent, the last column those that were refused."""

    @classmethod
    def count(cls, answers: Sequence[Answer], intents: Sequence[str]) -> ConfusionMatrix:
        """Count the answers of a test."""
        place: dict[str | None, int] = {name: number for number, name in enumerate(intents)}
        place[None] = len(intents)
        counts = np.zeros((len(place), len(place)), np.intp)
        for answer in answers:
            counts[place[answer.utterance.intent], place[answer.match.intent]] += 1
        return cls(list(intents), counts)

    @property
    def confused(self) -> IndexArray:
        """Wrong answers [num_intents] in which each intent was expected or given.

        Refusals are not counted.
        """
        wrong = self.counts.copy()
        np.fill_diagonal(wrong, 0)
        wrong[:, -1] = 0
        confused: IndexArray = wrong.sum(axis=0)[:-1] + wrong.sum(axis=1)[:-1]
        return confused

    def focus(self, limit: int) -> ConfusionMatrix:
        """Return a matrix of at most ``limit`` intents.

        A larger matrix is reduced to the intents with wrong answers; if there are still too
        many, to those with most. The order stays.
        """
        if len(self.intents) <= limit:
            return self
        confused = self.confused
        ranked = np.argsort(-confused, kind="stable")[:limit]
        places = np.sort(ranked[confused[ranked] > 0])
        shown = np.append(places, len(self.intents))
        return ConfusionMatrix(
            [self.intents[place] for place in places], self.counts[np.ix_(shown, shown)]
        )

    def to_dict(self) -> dict[str, Any]:
        """The matrix as JSON.

        Returns:
            ``intents``, the labels of rows and columns, of which the last is None; ``counts``,
            a list of rows.
        """
        return {"intents": [*self.intents, None], "counts": self.counts.tolist()}
