"""From a template set to an index: templates are encoded once, and an edit reuses the rest."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.index.matching import ExactIndex, Index, TableIndex
from pocketintent.runtime.index.template_rows import (
    add_centroid,
    fit_template_quantizer,
    quantization_errors,
)
from pocketintent.runtime.quantization.quantizer import Quantizer
from pocketintent.runtime.templates.template_set import TemplateSet

Search = Literal["table", "exact"]

MAX_ERROR = 0.03
"""Highest mean squared error of unit vectors at which an existing codebook is used; a codebook
fitted on 3,000 templates of CLINC150 has 0.01."""
REFIT_GROWTH = 2.0
"""Growth of the error since the codebook was chosen at which a new one is fitted."""


@dataclass(frozen=True)
class IntentRows:
    """The rows of one intent: templates in which the encoder knows a word, then the centroid."""

    texts: tuple[str, ...]
    """The templates in which the encoder knows a word."""
    rows: NDArray[Any]
    """[len(texts) + 1, dim] float32 vectors, or [len(texts) + 1, num_sub] codes."""
    error: float = 0.0
    """Sum of the rows' quantisation errors."""


@dataclass(frozen=True)
class IndexedTemplates:
    """An index and its sources; never changed, so that threads can share it."""

    intents: dict[str, IntentRows]
    """The rows of each intent that has any, in the order of the template set."""
    quantizer: Quantizer | None
    """The codebook of the templates; None for an exact search or without templates."""
    max_error: float
    """Mean quantisation error above which the next edit fits a new codebook."""
    index: Index | None
    """None without templates."""
    names: tuple[str, ...]
    """Intents by the index's position."""
    texts: tuple[str, ...]
    """Templates by the index's row."""


def index_templates(
    encoder: Encoder,
    templates: TemplateSet,
    search: Search,
    old: IndexedTemplates | None = None,
    changed: Collection[str] = (),
) -> IndexedTemplates:
    """Index a template set.

    The codebook is the current one, otherwise the model's own if its mean error is at most
    ``MAX_ERROR``, otherwise a codebook fitted on the templates. An edit quantises only the
    changed intents, unless the mean error of all templates then exceeds ``MAX_ERROR`` and, with a
    codebook that was fitted on templates, ``REFIT_GROWTH`` times the error on them: then a new
    codebook is fitted.

    Args:
        encoder: The model.
        templates: The set.
        search: ``"table"`` for codes, ``"exact"`` for float vectors.
        old: The index before an edit, from which the other intents are copied.
        changed: The intents that the edit added, removed or gave other templates.

    Returns:
        The index of all intents.
    """
    intents = {} if old is None else {n: r for n, r in old.intents.items() if n not in changed}
    fresh = _encode(encoder, templates, (name for name in templates.intents if name not in intents))
    if search == "exact":
        intents |= {name: IntentRows(texts, rows) for name, (texts, rows) in fresh.items()}
        return assemble_index(templates, intents, None, 0.0)
    quantizer = old.quantizer if old is not None else None
    max_error = old.max_error if old is not None else MAX_ERROR
    if quantizer is None:
        quantizer = encoder.template_quantizer
    if quantizer is not None:
        intents |= _quantise(fresh, quantizer)
        if _mean_error(intents) <= max_error:
            return assemble_index(templates, intents, quantizer, max_error)
    others = (name for name in templates.intents if name not in fresh)
    vectors = fresh | _encode(encoder, templates, others)
    if not vectors:
        return assemble_index(templates, {}, None, MAX_ERROR)
    quantizer = fit_template_quantizer(_in_order_of_texts(vectors))
    intents = _quantise(vectors, quantizer)
    max_error = max(MAX_ERROR, REFIT_GROWTH * _mean_error(intents))
    return assemble_index(templates, intents, quantizer, max_error)


def _encode(
    encoder: Encoder, templates: TemplateSet, names: Iterable[str]
) -> dict[str, tuple[tuple[str, ...], FloatArray]]:
    """Texts and rows of some intents, without the texts in which the encoder knows nothing."""
    result = {}
    for name in names:
        texts = templates.intents[name].templates
        vectors = encoder.encode_batch(texts)
        ids = np.flatnonzero(vectors.any(axis=1))
        if len(ids):
            result[name] = tuple(texts[i] for i in ids), add_centroid(vectors[ids])
    return result


def _in_order_of_texts(vectors: Mapping[str, tuple[tuple[str, ...], FloatArray]]) -> FloatArray:
    """All rows of some intents, in an order that depends on names and texts alone."""
    groups = []
    for _, (texts, rows) in sorted(vectors.items()):
        order = sorted(range(len(texts)), key=texts.__getitem__)
        groups += [rows[order], rows[-1:]]
    return np.concatenate(groups)


def _quantise(
    fresh: Mapping[str, tuple[tuple[str, ...], FloatArray]], quantizer: Quantizer
) -> dict[str, IntentRows]:
    """Quantise some intents in one call; a call for each intent would be slow."""
    if not fresh:
        return {}
    vectors = np.concatenate([rows for _, rows in fresh.values()])
    codes = quantizer.assign(vectors)
    errors = quantization_errors(vectors, codes, quantizer)
    result, start = {}, 0
    for name, (texts, rows) in fresh.items():
        end = start + len(rows)
        result[name] = IntentRows(texts, codes[start:end], float(errors[start:end].sum()))
        start = end
    return result


def _mean_error(intents: Mapping[str, IntentRows]) -> float:
    num_rows = sum(len(intent.rows) for intent in intents.values())
    return sum(intent.error for intent in intents.values()) / max(num_rows, 1)


def assemble_index(
    templates: TemplateSet,
    intents: Mapping[str, IntentRows],
    quantizer: Quantizer | None,
    max_error: float,
) -> IndexedTemplates:
    """Put the rows of intents together.

    Args:
        templates: The set.
        intents: The rows of each intent that has any, in any order.
        quantizer: The codebook of the rows; None if they are vectors.
        max_error: Mean quantisation error above which the next edit fits a new codebook.

    Returns:
        The index.
    """
    ordered = {name: intents[name] for name in templates.intents if name in intents}
    groups = [intent.rows for intent in ordered.values()]
    index: Index | None = None
    if groups:
        index = ExactIndex(groups) if quantizer is None else TableIndex(groups, quantizer)
    texts = tuple(text for intent in ordered.values() for text in intent.texts)
    return IndexedTemplates(ordered, quantizer, max_error, index, tuple(ordered), texts)
