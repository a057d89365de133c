"""What a classifier is fitted on: the examples of a template set, and their features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray, IndexArray, row_lengths, unit_rows
from pocketintent.runtime.background import Background
from pocketintent.runtime.decision.logistic.scorer import NEGATION_SCALE, NGRAM_SCALE
from pocketintent.runtime.decision.logistic.solver import NO_INTENT, TrainingRows
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.index.indexed_templates import IndexedTemplates
from pocketintent.runtime.templates.template_set import TemplateSet, words_of_name
from pocketintent.runtime.text.languages import any_negated, is_negated
from pocketintent.runtime.text.ngram_counts import count_ngrams_of_texts

LEAST_SIMILARITY = 0.25
"""Cosine similarity of a background line's n-grams to those of a negation above which the line
counts as negated. One line in seven then does, and almost half of these are. With a feature of 0
for all lines, a negated text that no intent is made for resembles templates such as "i can't log
in" more than any line, and is accepted ten times as often."""


@dataclass(frozen=True, eq=False)
class FeatureMaker:
    """Makes the features that a classifier is fitted on."""

    bucket_weights: FloatArray
    """float32 [NUM_BUCKETS], see :func:`bucket_weights`."""
    negations: frozenset[str]
    """The tokens that negate a text; empty if the classifier does not look for them."""

    def of_texts(self, texts: Sequence[str], vectors: FloatArray) -> FloatArray:
        """The features of several texts, float32 [n, num_features].

        They are the sentence vectors, float32 [n, dim]; the weighted n-gram counts at length
        ``NGRAM_SCALE``; and, if there are negations, ``NEGATION_SCALE`` for a negated text.
        """
        weighted = count_ngrams_of_texts(texts) * self.bucket_weights
        lengths, scaled = row_lengths(weighted)[:, None], weighted * np.float32(NGRAM_SCALE)
        parts = [vectors, np.divide(scaled, lengths, where=lengths > 0, out=weighted)]
        if self.negations:
            flags = [[NEGATION_SCALE * is_negated(text, self.negations)] for text in texts]
            parts.append(np.array(flags, np.float32).reshape(-1, 1))
        return np.concatenate(parts, axis=1)

    def of_background(self, background: Background) -> FloatArray:
        """The features of the background's lines, float32 [num_lines, num_features].

        The lines are stored as codes, so whether one is negated is estimated from its n-grams.
        """
        ngrams = unit_rows(background.ngrams.decode())
        parts = [background.vectors.decode(), np.float32(NGRAM_SCALE) * ngrams]
        if self.negations:
            # A token with an apostrophe follows a letter.
            words = [f"n{word}" if word[0] == "'" else word for word in sorted(self.negations)]
            of_words = unit_rows(count_ngrams_of_texts(words) * self.bucket_weights)
            similarities = (ngrams @ of_words.T).max(axis=1, keepdims=True)
            parts.append(np.float32(NEGATION_SCALE) * (similarities > LEAST_SIMILARITY))
        return np.concatenate(parts, axis=1)


def make_examples(
    encoder: Encoder,
    templates: TemplateSet,
    indexed: IndexedTemplates,
    names: Sequence[str],
    maker: FeatureMaker,
) -> TrainingRows:
    """The examples of a template set, in an order that depends on the texts alone.

    The vectors of the templates are those of the index; a label is a position among ``names``.
    """
    groups = [_of(*_templates(indexed, names, maker))]
    outside = sorted(templates.none + templates.background)
    groups.append(_of(_encode(encoder, outside, maker)[0]))
    if encoder.background is not None:
        groups.append(_of(maker.of_background(encoder.background)))
    for label, name in enumerate(names):
        texts = sorted(_counter_examples(templates, name, maker.negations))
        groups.append(_of(_encode(encoder, texts, maker)[0], against=label))
    if templates.learn_names:
        labelled = _encode(encoder, [words_of_name(name) for name in names], maker)
        groups.append(_of(*labelled, is_name=True))
    features, labels, against, is_name = map(np.concatenate, zip(*groups, strict=True))
    features = np.concatenate([features, np.ones((len(features), 1), np.float32)], axis=1)
    is_used = None
    if maker.negations:
        # The negation counts for an intent of which a counter-example is negated. For any other it
        # would be evidence of the background alone, and "i have not finished my book" would be
        # refused because of a counter-example of another intent.
        exceptions = (templates.intents[name].counter_examples for name in names)
        is_used = np.ones((features.shape[1], len(names)), np.bool_)
        is_used[-2] = [any_negated(texts, maker.negations) for texts in exceptions]
    return TrainingRows(features, labels, against, len(names), is_used, is_name)


def _counter_examples(templates: TemplateSet, name: str, negations: frozenset[str]) -> list[str]:
    """The counter-examples of an intent, and its negated name if one of them is negated.

    Otherwise the name would be evidence for "not lights on", too. A name that is a negation itself,
    such as ``card_not_working``, says what the intent is, and is not negated.
    """
    texts, own_words = templates.intents[name].counter_examples, words_of_name(name)
    if not templates.learn_names or is_negated(own_words, negations):
        return texts
    return [*texts, f"not {own_words}"] if any_negated(texts, negations) else texts


def _of(
    features: FloatArray,
    labels: IndexArray | int = NO_INTENT,
    against: int = NO_INTENT,
    is_name: bool = False,
) -> tuple[NDArray[Any], ...]:
    """Features with their labels, counter-examples and flags, as :class:`TrainingRows` has them."""
    numbers = (np.full(len(features), value, np.intp) for value in (labels, against))
    return features, *numbers, np.full(len(features), is_name)


def _templates(
    indexed: IndexedTemplates, names: Sequence[str], maker: FeatureMaker
) -> tuple[FloatArray, IndexArray]:
    """The features of the templates, of each intent in alphabetical order, and their labels."""
    texts, groups, labels = list[str](), [], list[int]()
    for label, name in enumerate(names):
        intent = indexed.intents[name]
        order = sorted(range(len(intent.texts)), key=intent.texts.__getitem__)
        texts += [intent.texts[position] for position in order]
        groups.append(intent.rows[:-1][order])
        labels += [label] * len(order)
    vectors = np.concatenate(groups)
    if indexed.quantizer is not None:
        vectors = unit_rows(indexed.quantizer.decode_codes(vectors))
    return maker.of_texts(texts, vectors), np.array(labels, np.intp)


def _encode(
    encoder: Encoder, texts: Sequence[str], maker: FeatureMaker
) -> tuple[FloatArray, IndexArray]:
    """The features of the texts in which the encoder knows a word, and their positions."""
    vectors = encoder.encode_batch(texts).reshape(len(texts), encoder.dim)
    is_known = vectors.any(axis=1)
    return maker.of_texts(texts, vectors)[is_known], np.flatnonzero(is_known)
