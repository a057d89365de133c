"""The decisions by name, and the scorer of each: fitted, or read from a bot file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

from numpy.typing import NDArray

from pocketintent.runtime.decision.logistic.scorer import LogisticScorer
from pocketintent.runtime.decision.scoring import Scorer
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.index.indexed_templates import IndexedTemplates
from pocketintent.runtime.templates.template_set import TemplateSet

Decision = Literal["logistic", "nearest", "nearest+centroid"]
"""``logistic``: a classifier fitted on the templates, whose score is a probability.
``nearest``: the cosine similarity to the nearest template, as in the thesis.
``nearest+centroid``: the mean of that and the similarity to the mean of the intent's templates."""

DECISIONS: tuple[Decision, ...] = get_args(Decision)

DEFAULT_DECISION: Decision = "logistic"


def make_scorer(
    decision: Decision,
    encoder: Encoder,
    templates: TemplateSet,
    indexed: IndexedTemplates,
    old: Scorer | None = None,
) -> Scorer | None:
    """What scores the intents of a set; None if no template has a word that the encoder knows.

    ``old`` is the scorer of the same decision before an edit.
    """
    if not indexed.names:
        return None
    # Imported where it is used: a bot needs one of the kinds, and a bot file is fitted already.
    if decision != "logistic":
        from pocketintent.runtime.decision.nearest import NearestScorer

        return NearestScorer(indexed, decision)
    from pocketintent.runtime.decision.logistic.fitting import fit_scorer

    return fit_scorer(encoder, templates, indexed, old)


def read_scorer(
    decision: Decision,
    encoder: Encoder,
    templates: TemplateSet,
    indexed: IndexedTemplates,
    settings: Mapping[str, Any],
    tensors: Mapping[str, NDArray[Any]],
) -> Scorer | None:
    """The scorer that gave these :meth:`Scorer.parts`, to the last bit; None without templates.

    ModelFileError if a part is missing, or does not fit the index.
    """
    if decision == "logistic" and indexed.names:
        return LogisticScorer.read(encoder, indexed, settings, tensors)
    return make_scorer(decision, encoder, templates, indexed)
