"""From a template set to all that a match reads."""

from __future__ import annotations

from pocketintent.runtime.decision.decide import State
from pocketintent.runtime.decision.indexing import Search, index_templates
from pocketintent.runtime.decision.registry import Decision, make_scorer
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.templates.template_set import TemplateSet


def build_state(
    encoder: Encoder,
    templates: TemplateSet,
    decision: Decision,
    search: Search,
    old: State | None = None,
    changed: str | None = None,
) -> State:
    """Index a template set and make its scorer.

    Args:
        encoder: The model.
        templates: The set.
        decision: How an intent is scored.
        search: How the templates are kept.
        old: The state before an edit, by the same decision and search.
        changed: The intent that the edit added, changed or removed.
    """
    if old is None:
        indexed = index_templates(encoder, templates, search)
        return State(templates, indexed, make_scorer(decision, encoder, templates, indexed))
    indexed = index_templates(encoder, templates, search, old.indexed, changed)
    scorer = make_scorer(decision, encoder, templates, indexed, old.scorer)
    return State(templates, indexed, scorer)
