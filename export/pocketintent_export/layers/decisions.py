"""The registry of decisions as torch modules; a new decision is a module and a line here.

A decision's module is called as ``module(vectors, nearest, centroids, *features)``: the unit
sentence vectors, float32 [batch, dim], or zeros where nothing is known; their similarities to the
nearest template and to the centroid of each intent, float32 [num_intents, batch]; and the
scorer's features of the text, each float32 [batch, size]. It returns the scores, float32
[batch, num_intents], which are all 0 for a vector of zeros, and only then.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import nn

from pocketintent.runtime.decision.logistic.scorer import LogisticScorer
from pocketintent.runtime.decision.nearest import NearestScorer
from pocketintent.runtime.decision.scoring import Scorer
from pocketintent.runtime.errors import PocketIntentError
from pocketintent_export.layers.logistic import LogisticModule
from pocketintent_export.layers.nearest import NearestModule

_MODULES: dict[type, Callable[[Any], nn.Module]] = {
    NearestScorer: NearestModule,
    LogisticScorer: LogisticModule,
}


def decision_module(scorer: Scorer) -> nn.Module:
    """The module of a scorer.

    Raises:
        PocketIntentError: Decisions of this kind cannot be exported.
    """
    make = _MODULES.get(type(scorer))
    if make is None:
        raise PocketIntentError(f"a {type(scorer).__name__} cannot be exported")
    return make(scorer)
