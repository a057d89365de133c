"""Systems that learn intents from templates: the protocol, and an encoder as a system."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from pocketintent.evaluation.intents.datasets import Draw, IntentData
from pocketintent.evaluation.intents.draw_scorers import (
    DrawScorers,
    EmbeddedTexts,
    check_decisions,
    check_search,
)
from pocketintent.runtime.arrays import IndexArray
from pocketintent.runtime.decision.registry import DECISIONS, Decision
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.index.building import Search


@dataclass(frozen=True)
class Prediction:
    """The labels that a system assigns to the queries of one draw."""

    labels: IndexArray
    """Predicted labels [num_queries]."""
    exact: IndexArray | None = None
    """Labels of the exact search, if ``labels`` come from an approximate search."""


Predict = Callable[[Draw], dict[str, Prediction]]
"""From the templates of a draw to the predictions of each decision."""


class System(Protocol):
    """A system that learns templates and predicts intents."""

    def prepare(self, data: IntentData) -> Predict:
        """Do the work that all draws share, such as encoding the texts once."""
        ...


class EncoderSystem:
    """An encoder with the runtime's decisions.

    Args:
        encoder: Any encoder with unit-length embeddings.
        decisions: The decisions to measure, from ``DECISIONS``.
        search: ``"exact"``, or ``"table"`` for the recogniser's quantised templates.

    Raises:
        PocketIntentError: A decision or the search is unknown.
    """

    def __init__(
        self, encoder: Encoder, decisions: Sequence[str] = DECISIONS, search: str = "exact"
    ) -> None:
        self.encoder = encoder
        self.decisions = check_decisions(decisions)
        self.search = check_search(search)

    def prepare(self, data: IntentData) -> Predict:
        """Encode the training texts and the queries once."""
        embedded = EmbeddedTexts(self.encoder, data.train_texts, data.query_texts)

        def label_queries(draw: Draw, search: Search) -> dict[Decision, IndexArray]:
            scorers = DrawScorers(embedded, data, draw, self.decisions, search)
            answers = scorers.answer(data.query_texts)
            return {decision: best.labels for decision, best in answers.items()}

        def predict(draw: Draw) -> dict[str, Prediction]:
            exact = label_queries(draw, "exact")
            if self.search == "exact":
                return {decision: Prediction(labels) for decision, labels in exact.items()}
            table = label_queries(draw, self.search)
            return {name: Prediction(labels, exact[name]) for name, labels in table.items()}

        return predict
