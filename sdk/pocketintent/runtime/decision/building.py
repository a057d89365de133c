"""From a template set to a bot."""

from __future__ import annotations

from itertools import chain

from pocketintent.runtime.decision.bot import Bot
from pocketintent.runtime.decision.registry import Decision, make_scorer
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.index.building import Search, index_templates
from pocketintent.runtime.index.indexed_templates import IndexedTemplates
from pocketintent.runtime.templates.template_set import TemplateSet
from pocketintent.runtime.text.correction import Corrector
from pocketintent.runtime.threads import one_blas_thread


def build_bot(
    encoder: Encoder,
    templates: TemplateSet,
    decision: Decision,
    search: Search,
    correct: bool = True,
    old: Bot | None = None,
) -> Bot:
    """Index a template set and make its scorer.

    Args:
        encoder: The model.
        templates: The set.
        decision: How an intent is scored.
        search: How the templates are kept.
        correct: Whether typing errors of a text are corrected.
        old: The bot before an edit, by the same decision and search; what the edit leaves as it
            was is not encoded again.
    """
    with one_blas_thread():
        if old is None:
            indexed = index_templates(encoder, templates, search)
            scorer = make_scorer(decision, encoder, templates, indexed)
        else:
            changed = _changed_intents(old.templates, templates)
            indexed = index_templates(encoder, templates, search, old.indexed, changed)
            scorer = make_scorer(decision, encoder, templates, indexed, old.scorer)
    corrector = make_corrector(encoder, templates, indexed) if correct else None
    return Bot(encoder, templates, decision, search, correct, indexed, scorer, corrector)


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
    """What corrects the typing errors of a text; None for an encoder that knows no words.

    The bot's own texts are the templates of the index, the counter-examples of their intents, and
    the set's texts without an intent.
    """
    if encoder.known_words is None:
        return None
    exceptions = (templates.intents[name].counter_examples for name in indexed.names)
    texts = [*indexed.texts, *chain.from_iterable(exceptions), *templates.none]
    return Corrector(texts, encoder.known_words)
