"""What a classifier is fitted on: templates, names, counter-examples and the background."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray, IndexArray, unit_rows
from pocketintent.runtime.decision.logistic.features import FeatureMaker
from pocketintent.runtime.decision.logistic.solver import NO_INTENT
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.index.indexing import IndexedTemplates
from pocketintent.runtime.templates.template_set import TemplateSet, words_of_name
from pocketintent.runtime.text.languages import any_negated, is_negated


@dataclass(frozen=True, eq=False)
class Examples:
    """The features of texts, and what each text is an example of."""

    features: FloatArray
    """float32 [num_rows, num_features]."""
    labels: IndexArray
    """intp [num_rows]: the intent of each row, or ``NO_INTENT``."""
    counter_examples: IndexArray
    """intp [num_rows]: the only intent that the row is an example against; ``NO_INTENT`` for a row
    that counts for all intents."""
    is_name: NDArray[np.bool_]
    """bool [num_rows]: whether the row is the name of its intent rather than a text."""


def make_examples(
    encoder: Encoder,
    templates: TemplateSet,
    indexed: IndexedTemplates,
    names: Sequence[str],
    maker: FeatureMaker,
) -> Examples:
    """The examples of a template set, in an order that depends on the texts alone.

    Args:
        encoder: The model.
        templates: The set.
        indexed: The index of its templates, which has their vectors.
        names: The intents of the index; a label is a position among them.
        maker: What makes the features.
    """
    groups = [_of_templates(indexed, names, maker)]
    groups.append(_of(_encode(encoder, templates.none + templates.background, maker)))
    if encoder.background is not None:
        groups.append(_of(maker.of_background(encoder.background)))
    for label, name in enumerate(names):
        texts = _counter_examples(templates, name, maker.negations)
        groups.append(_of(_encode(encoder, texts, maker), counter_example=label))
    if templates.learn_names:
        groups.append(_of_names(encoder, names, maker))
    return Examples(
        np.concatenate([group.features for group in groups]),
        np.concatenate([group.labels for group in groups]),
        np.concatenate([group.counter_examples for group in groups]),
        np.concatenate([group.is_name for group in groups]),
    )


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
    labels: IndexArray | None = None,
    counter_example: int = NO_INTENT,
    is_name: bool = False,
) -> Examples:
    """The examples of some features: of no intent, unless they have labels."""
    number = len(features)
    if labels is None:
        labels = np.full(number, NO_INTENT, np.intp)
    against = np.full(number, counter_example, np.intp)
    return Examples(features, labels, against, np.full(number, is_name))


def _of_templates(indexed: IndexedTemplates, names: Sequence[str], maker: FeatureMaker) -> Examples:
    """The templates of each intent in alphabetical order, with their vectors from the index."""
    texts, vectors, labels = list[str](), list[FloatArray](), list[int]()
    for label, name in enumerate(names):
        intent = indexed.intents[name]
        order = sorted(range(len(intent.texts)), key=intent.texts.__getitem__)
        rows = intent.rows[:-1][order]
        if indexed.quantizer is not None:
            rows = unit_rows(indexed.quantizer.decode_codes(rows))
        texts += [intent.texts[position] for position in order]
        vectors.append(rows)
        labels += [label] * len(order)
    return _of(maker.of_texts(texts, np.concatenate(vectors)), np.array(labels, np.intp))


def _of_names(encoder: Encoder, names: Sequence[str], maker: FeatureMaker) -> Examples:
    """The names of the intents, without those of which the encoder knows nothing."""
    texts = [words_of_name(name) for name in names]
    vectors = encoder.encode_batch(texts)
    is_known = vectors.any(axis=1)
    features = maker.of_texts(texts, vectors)[is_known]
    return _of(features, np.flatnonzero(is_known), is_name=True)


def _encode(encoder: Encoder, texts: Sequence[str], maker: FeatureMaker) -> FloatArray:
    """The features of texts in alphabetical order, without those of which nothing is known."""
    texts = sorted(texts)
    vectors = encoder.encode_batch(texts).reshape(len(texts), encoder.dim)
    is_known = vectors.any(axis=1)
    return maker.of_texts(texts, vectors)[is_known]
