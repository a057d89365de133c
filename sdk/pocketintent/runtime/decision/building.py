"""From a template set to all that a match reads."""

from __future__ import annotations

from itertools import chain

from pocketintent.runtime.decision.decide import State
from pocketintent.runtime.decision.registry import Decision, make_scorer
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.index.indexing import IndexedTemplates, Search, index_templates
from pocketintent.runtime.templates.template_set import TemplateSet
from pocketintent.runtime.text.correction import Corrector


def build_state(
    encoder: Encoder,
    templates: TemplateSet,
    decision: Decision,
    search: Search,
    old: State | None = None,
    correct: bool = True,
) -> State:
    """Index a template set and make its scorer.

    Args:
        encoder: The model.
        templates: The set.
        decision: How an intent is scored.
        search: How the templates are kept.
        old: The state before an edit, by the same decision and search; what the edit leaves as it
            was is not encoded again.
        correct: Whether typing errors of a query are corrected.
    """
    if old is None:
        indexed = index_templates(encoder, templates, search)
        scorer = make_scorer(decision, encoder, templates, indexed)
    else:
        changed = _changed_intents(old.templates, templates)
        indexed = index_templates(encoder, templates, search, old.indexed, changed)
        scorer = make_scorer(decision, encoder, templates, indexed, old.scorer)
    corrector = make_corrector(encoder, templates, indexed) if correct else None
    return State(templates, indexed, scorer, corrector)


def _changed_intents(old: TemplateSet, new: TemplateSet) -> set[str]:
    """The intents that an edit added, removed or gave other templates."""
    before, after = (
        {name: intent.templates for name, intent in templates.intents.items()}
        for templates in (old, new)
    )
    return {name for name in before | after if before.get(name) != after.get(name)}


def make_corrector(
    encoder: Encoder, templates: TemplateSet, indexed: IndexedTemplates
) -> Corrector | None:
    """What corrects the typing errors of a query.

    The bot's own texts are the templates of the index, the counter-examples of their intents, and
    the set's texts without an intent.

    Args:
        encoder: The model.
        templates: The set.
        indexed: The index of its templates.

    Returns:
        The corrector; None for an encoder that knows no words.
    """
    if encoder.known_words is None:
        return None
    exceptions = (templates.intents[name].counter_examples for name in indexed.names)
    texts = [*indexed.texts, *chain.from_iterable(exceptions), *templates.none]
    return Corrector(texts, encoder.known_words)
