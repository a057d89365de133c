"""From a template set to its rows: templates are encoded once, and an edit reuses the rest."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Literal

import numpy as np

from pocketintent.runtime.arrays import FloatArray, half_precision, row_products, unit_rows
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.index.indexed_templates import IndexedTemplates, IntentRows
from pocketintent.runtime.quantization.lbg import draw_rows, fit_lbg
from pocketintent.runtime.quantization.quantizer import Quantizer
from pocketintent.runtime.templates.template_set import TemplateSet

Vectors = Mapping[str, tuple[tuple[str, ...], FloatArray]]
"""The known texts of intents, and their rows as float vectors."""

Search = Literal["table", "exact"]
"""``table`` keeps the templates as codes, ``exact`` as float vectors."""

SUB_DIM = 2
"""Two dimensions per code lose 0.1 points of accuracy on CLINC150; four lose up to a point."""
CODEBOOK_SIZE = 256
FIT_SAMPLE = 8192
"""Sub-vectors that the codebook is fitted on, in a tenth of a second; more make it no better."""
MAX_ERROR = 0.03
"""Highest mean squared error of unit vectors at which an existing codebook is used; a codebook
fitted on 3,000 templates of CLINC150 has 0.01."""
REFIT_GROWTH = 2.0
"""Growth of the error since the codebook was chosen at which a new one is fitted."""


def index_templates(
    encoder: Encoder,
    templates: TemplateSet,
    search: Search,
    old: IndexedTemplates | None = None,
    kept: Collection[str] = (),
) -> IndexedTemplates:
    """Index a template set; from ``old``, before an edit, come the intents that it ``kept``.

    The codebook is the old one, otherwise the model's own if its mean error is at most
    ``MAX_ERROR``, otherwise a codebook fitted on the templates. A new one is fitted too if the mean
    error exceeds ``MAX_ERROR`` after an edit and, with a codebook that was fitted on templates,
    ``REFIT_GROWTH`` times the error on them.
    """
    intents = {} if old is None else {n: r for n, r in old.intents.items() if n in kept}
    fresh = _encode(encoder, templates, (name for name in templates.intents if name not in intents))
    quantizer, max_error = None, 0.0
    if search == "exact":
        intents |= {name: IntentRows(texts, rows) for name, (texts, rows) in fresh.items()}
    else:
        quantizer, max_error = (None, MAX_ERROR) if old is None else (old.quantizer, old.max_error)
        if quantizer is None:
            quantizer = encoder.template_quantizer
        if quantizer is not None:
            intents |= _quantise(fresh, quantizer)
        if quantizer is None or _mean_error(intents) > max_error:
            others = (name for name in templates.intents if name not in fresh)
            vectors = fresh | _encode(encoder, templates, others)
            intents, quantizer, max_error = _fit(vectors)
    ordered = {name: intents[name] for name in templates.intents if name in intents}
    return IndexedTemplates(ordered, quantizer, max_error)


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


def add_centroid(vectors: FloatArray) -> FloatArray:
    """Append the mean of an intent's templates, [num_templates, dim], at unit length as a row.

    If the templates cancel out, the first template takes its place: zeros have no direction.
    """
    centroid = unit_rows(vectors.mean(axis=0, keepdims=True))
    return np.concatenate([vectors, centroid if centroid.any() else vectors[:1]])


def _fit(vectors: Vectors) -> tuple[dict[str, IntentRows], Quantizer | None, float]:
    """The rows of all intents by a codebook fitted on them, and the highest error to keep it."""
    if not vectors:
        return {}, None, MAX_ERROR
    groups = []  # in an order that depends on names and texts alone
    for _, (texts, rows) in sorted(vectors.items()):
        order = sorted(range(len(texts)), key=texts.__getitem__)
        groups += [rows[order], rows[-1:]]
    quantizer = fit_template_quantizer(np.concatenate(groups))
    intents = _quantise(vectors, quantizer)
    return intents, quantizer, max(MAX_ERROR, REFIT_GROWTH * _mean_error(intents))


def fit_template_quantizer(vectors: FloatArray) -> Quantizer:
    """Fit a codebook for templates, shared by all positions, on a sample of sub-vectors.

    The vectors are float32 [n, dim], unit rows: templates and centroids, or, for a codebook that
    ships with a model, sentences of a corpus. With at most ``CODEBOOK_SIZE`` distinct sub-vectors,
    only the rounding to half precision is lost.
    """
    dim, rng = vectors.shape[1], np.random.default_rng(0)
    rows = draw_rows(vectors, FIT_SAMPLE, rng).reshape(-1, 1 if dim % SUB_DIM else SUB_DIM)
    codebook = half_precision(fit_lbg(draw_rows(rows, FIT_SAMPLE, rng), CODEBOOK_SIZE), "codebook")
    return Quantizer(codebook.astype(np.float32)[None], dim, normalised=False)


def _quantise(fresh: Vectors, quantizer: Quantizer) -> dict[str, IntentRows]:
    """Quantise some intents in one call; a call for each intent would be slow."""
    if not fresh:
        return {}
    vectors = np.concatenate([rows for _, rows in fresh.values()])
    codes = quantizer.assign(vectors)
    differences = vectors - unit_rows(quantizer.decode_codes(codes))
    errors = row_products(differences, differences)
    result, start = {}, 0
    for name, (texts, rows) in fresh.items():
        end = start + len(rows)
        result[name] = IntentRows(texts, codes[start:end], float(errors[start:end].sum()))
        start = end
    return result


def _mean_error(intents: Mapping[str, IntentRows]) -> float:
    num_rows = sum(len(intent.rows) for intent in intents.values())
    return sum(intent.error for intent in intents.values()) / max(num_rows, 1)
