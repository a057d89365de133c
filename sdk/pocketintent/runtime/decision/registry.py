"""The decisions by name; a new decision is one line here."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal, get_args

from pocketintent.runtime.decision.indexing import IndexedTemplates
from pocketintent.runtime.decision.logistic.scorer import LogisticScorer
from pocketintent.runtime.decision.nearest import NearestScorer
from pocketintent.runtime.decision.scoring import Scorer
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.templates.template_set import TemplateSet

Decision = Literal["logistic", "nearest", "nearest+centroid"]
"""``logistic``: a classifier fitted on the templates, whose score is a probability.
``nearest``: the cosine similarity to the nearest template, as in the thesis.
``nearest+centroid``: the mean of that and the similarity to the mean of the intent's templates."""

DECISIONS: tuple[Decision, ...] = get_args(Decision)

DEFAULT_DECISION: Decision = "logistic"

_MAKERS: dict[str, Callable[[Encoder, TemplateSet, IndexedTemplates, Scorer | None], Scorer]] = {
    "logistic": LogisticScorer.fit,
    "nearest": partial(NearestScorer.make, "nearest"),
    "nearest+centroid": partial(NearestScorer.make, "nearest+centroid"),
}


def make_scorer(
    decision: Decision,
    encoder: Encoder,
    templates: TemplateSet,
    indexed: IndexedTemplates,
    old: Scorer | None = None,
) -> Scorer | None:
    """What scores the intents of a template set.

    Args:
        decision: The decision.
        encoder: The model.
        templates: The set.
        indexed: The index of its templates.
        old: The scorer of the same decision before an edit.

    Returns:
        The scorer; None if no template has a word that the encoder knows.
    """
    if indexed.index is None:
        return None
    return _MAKERS[decision](encoder, templates, indexed, old)
