"""Systems that learn intents from templates: the protocol, and an encoder as a system."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, cast

import numpy as np

from pocketintent.evaluation.intents.datasets import Draw, IntentData
from pocketintent.evaluation.intents.exact_search import DECISIONS, check_decisions, score_intents
from pocketintent.evaluation.intents.table_search import EmbeddedTexts, search_table
from pocketintent.runtime.arrays import IndexArray
from pocketintent.runtime.decision.registry import Decision
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.errors import PocketIntentError

SEARCHES = ("exact", "table")
"""``exact``: cosines in floating point. ``table``: the recogniser's quantised look-ups."""


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
    """An encoder with nearest-template search.

    Args:
        encoder: Any encoder with unit-length embeddings.
        decisions: The decisions to measure, from ``DECISIONS``.
        search: ``"exact"``, or ``"table"`` for the recogniser's quantised search.

    Raises:
        PocketIntentError: A decision or the search is unknown.
    """

    def __init__(
        self, encoder: Encoder, decisions: Sequence[str] = DECISIONS, search: str = "exact"
    ) -> None:
        check_decisions(decisions)
        if search not in SEARCHES:
            raise PocketIntentError(
                f"unknown search {search!r}; choose one of {', '.join(SEARCHES)}"
            )
        self.encoder = encoder
        self.decisions = cast(tuple[Decision, ...], tuple(decisions))
        self.search = search

    def prepare(self, data: IntentData) -> Predict:
        """Encode the training texts and the queries once."""
        train = self.encoder.encode_batch(data.train_texts)
        queries = self.encoder.encode_batch(data.query_texts)
        embedded: EmbeddedTexts | None = None
        if self.search == "table":
            texts = data.train_texts + data.query_texts
            embedded = EmbeddedTexts(self.encoder, texts, np.concatenate([train, queries]))

        def predict(draw: Draw) -> dict[str, Prediction]:
            results = score_intents(queries, train[draw.indices], draw.starts, self.decisions)
            exact = {decision: labels for decision, (labels, _) in results.items()}
            if embedded is None:
                return {decision: Prediction(labels) for decision, labels in exact.items()}
            table = search_table(embedded, data, draw, self.decisions)
            return {name: Prediction(labels, exact[name]) for name, labels in table.items()}

        return predict
