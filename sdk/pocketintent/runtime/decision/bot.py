"""A bot: from a text to its match, by scores, refusals and limits; and from templates to a bot."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, compress, islice

import numpy as np

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.decision.registry import Decision, make_scorer
from pocketintent.runtime.decision.results import Candidate, Match, Reason
from pocketintent.runtime.decision.scoring import ROUNDING, Hit, Scorer
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.index.building import Search, index_templates
from pocketintent.runtime.index.indexed_templates import IndexedTemplates
from pocketintent.runtime.templates.template_set import TemplateSet
from pocketintent.runtime.text.correction import Corrector
from pocketintent.runtime.text.tokenizer import simple_tokenize
from pocketintent.runtime.threads import FilledOnUse, one_blas_thread

TEXTS_AT_ONCE = 1024
"""Texts of a batch that are encoded and scored at once."""


class Refusals:
    """The texts that never get an intent, whatever their scores are: its counter-examples' words.

    The texts of ``none`` count for all intents.
    """

    def __init__(self, templates: TemplateSet) -> None:
        self._intents: dict[tuple[str, ...], set[str]] = {}
        self._texts: dict[tuple[str, ...], str] = {}
        against = [(text, set(templates.intents)) for text in templates.none]
        for name, intent in templates.intents.items():
            against += [(text, {name}) for text in intent.counter_examples]
        for text, names in against:
            if tokens := tuple(simple_tokenize(text)):
                self._intents.setdefault(tokens, set()).update(names)
                self._texts.setdefault(tokens, text)

    def __call__(self, text: str, intent: str) -> bool:
        """Whether a text, as the recogniser reads it, never gets an intent."""
        return bool(self._intents) and intent in self._intents.get(tuple(simple_tokenize(text)), ())

    def text_with_words_of(self, text: str) -> str | None:
        """The first text of ``none``, or counter-example, with the words of a text that is read."""
        return self._texts.get(tuple(simple_tokenize(text)))


@dataclass(frozen=True, eq=False)
class Bot(FilledOnUse):
    """All that a match reads; an edit makes a new one, so that no match sees half an edit."""

    encoder: Encoder
    """The model."""
    templates: TemplateSet
    """The set, with its thresholds and margin."""
    decision: Decision
    """How an intent is scored."""
    search: Search
    """How the templates are kept."""
    correct: bool
    """Whether typing errors of a text are corrected."""
    indexed: IndexedTemplates
    """The templates that the encoder knows, by the positions that the scorer uses."""
    scorer: Scorer | None
    """What scores the intents; None without templates."""
    corrector: Corrector | None = None
    """What corrects the typing errors; None to read a text as it is."""

    @cached_property
    def refuses(self) -> Refusals:
        """The counter-examples of the set, word for word."""
        return Refusals(self.templates)

    @cached_property
    def thresholds(self) -> list[float]:
        """The threshold of each intent of the index."""
        return [self.templates.threshold_of(name) for name in self.indexed.names]

    def read(self, text: str) -> str:
        """The text as it is encoded and scored: with its typing errors corrected.

        Raises:
            TypeError: ``text`` is not a string.
        """
        if not isinstance(text, str):
            raise TypeError(f"a text must be a str, not {type(text).__name__}")
        if self.corrector is None or self.corrector.vocabulary.keys() >= set(simple_tokenize(text)):
            return text  # the usual case: all words are known
        return self.corrector(text)

    def match(self, text: str) -> Match:
        """The match of a text; see :meth:`IntentRecognizer.match`."""
        text = self.read(text)
        return self.match_vector(text, self.encoder.encode(text))

    def match_vector(self, text: str, vector: FloatArray) -> Match:
        """The match of a text that is read and encoded: float32 [dim], zeros for unknown words."""
        return self.decide(text, self._search(text, vector, limit=2))

    def match_batch(self, texts: Iterable[str]) -> list[Match]:
        """The matches of several texts; see :meth:`IntentRecognizer.match_batch`."""
        remaining, matches = iter(texts), list[Match]()
        while block := [self.read(text) for text in islice(remaining, TEXTS_AT_ONCE)]:
            with one_blas_thread():
                matches += self._match_block(block, self.encoder.encode_batch(block))
        return matches

    def _match_block(self, texts: Sequence[str], vectors: FloatArray) -> list[Match]:
        """The matches of texts with these vectors, float32 [num_texts, dim].

        A score may differ in its last digits from that of :meth:`match`, since a larger product
        is summed in another order; where that could decide, the single text is scored again.
        """
        if self.scorer is None:
            return [_no_intent("no_templates")] * len(texts)
        matches = [_no_intent("unknown_words")] * len(texts)
        is_known = np.any(vectors, axis=1)
        queries, known_texts = vectors[is_known], list(compress(texts, is_known))
        hits_of_texts = self.scorer.search_block(known_texts, queries, limit=2)
        for row, position in enumerate(np.flatnonzero(is_known).tolist()):
            text, hits = known_texts[row], hits_of_texts[row]
            if self._is_close_call(hits):
                hits = self.scorer.search(text, queries[row], limit=2)
            matches[position] = self.decide(text, hits)
        return matches

    def rank(self, text: str, limit: int) -> list[Candidate]:
        """The best intents of a text; see :meth:`IntentRecognizer.rank`."""
        text = self.read(text)
        return self.rank_vector(text, self.encoder.encode(text), limit)

    def rank_vector(self, text: str, vector: FloatArray, limit: int) -> list[Candidate]:
        """The best intents of a text that is read and encoded; see :meth:`match_vector`."""
        return [self._candidate(hit) for hit in self._search(text, vector, limit)]

    def _search(self, text: str, vector: FloatArray, limit: int) -> list[Hit]:
        # `dot` is quicker to call than `any`, but it can be 0 for a vector of tiny numbers.
        if self.scorer is None or not (vector.dot(vector) or vector.any()):
            return []
        return self.scorer.search(text, vector, limit)

    def _candidate(self, hit: Hit) -> Candidate:
        return Candidate(self.indexed.names[hit.intent], hit.score, self.indexed.texts[hit.row])

    def decide(self, text: str, hits: Sequence[Hit]) -> Match:
        """The match of a text that is read, from its best intent and the next, if there are any."""
        if not hits:
            return _no_intent("no_templates" if self.scorer is None else "unknown_words")
        best = hits[0]
        runner_up = self._candidate(hits[1]) if len(hits) > 1 else None
        nearest, score = self.indexed.names[best.intent], best.score
        margin = None if runner_up is None else score - runner_up.score
        reason: Reason | None = None
        if self.refuses(text, nearest):
            reason = "counter_example"
        elif score < self.thresholds[best.intent]:
            reason = "below_threshold"
        elif margin is not None and margin < self.templates.margin:
            reason = "ambiguous"
        intent, template = None if reason else nearest, self.indexed.texts[best.row]
        return Match(intent, score, template, nearest, runner_up, margin, reason)

    def _is_close_call(self, hits: Sequence[Hit]) -> bool:
        """Whether the score or the lead is so near its limit that rounding could decide."""
        score = hits[0].score
        return abs(score - self.thresholds[hits[0].intent]) < ROUNDING or (
            len(hits) > 1 and abs(score - hits[1].score - self.templates.margin) < ROUNDING
        )


def _no_intent(reason: Reason) -> Match:
    return Match(None, 0.0, None, None, None, None, reason)


def build_bot(
    encoder: Encoder, templates: TemplateSet, decision: Decision, search: Search, correct: bool
) -> Bot:
    """Index a template set and make its scorer."""
    with one_blas_thread():
        indexed = index_templates(encoder, templates, search)
        scorer = make_scorer(decision, encoder, templates, indexed)
    corrector = make_corrector(encoder, templates, indexed) if correct else None
    return Bot(encoder, templates, decision, search, correct, indexed, scorer, corrector)


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
