"""The index of templates in a bot file: its rows as a matrix, and the templates they stand for."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import compress, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import Parts, read_number, read_tensor, row_lengths
from pocketintent.runtime.errors import ModelFileError, shorten
from pocketintent.runtime.index.building import Search
from pocketintent.runtime.index.indexed_templates import IndexedTemplates, IntentRows
from pocketintent.runtime.quantization.matrices import DenseMatrix, Matrix, QuantizedMatrix
from pocketintent.runtime.quantization.quantizer import Quantizer
from pocketintent.runtime.quantization.tensors import matrix_from_tensors, matrix_parts
from pocketintent.runtime.templates.template_set import TemplateSet

ROWS, KNOWN, ERRORS = "rows", "known", "errors"
_UNIT_TOLERANCE = 1e-3


def index_parts(templates: TemplateSet, indexed: IndexedTemplates) -> Parts:
    """The parts of the index of a set in a bot file.

    The settings are ``max_error`` and, if there are rows or a codebook, ``rows``, those of a
    matrix. The tensors are ``known``, uint8 [num_templates], 1 for each template of the set in
    which the encoder knows a word; ``errors``, float32 [num_indexed_intents]; and those of the
    matrix: for each intent that has any, in the order of the set, its known templates and then
    their centroid.
    """
    texts_of = {name: frozenset(intent.texts) for name, intent in indexed.intents.items()}
    known = [
        text in texts_of.get(name, ())
        for name, intent in templates.intents.items()
        for text in intent.templates
    ]
    tensors: dict[str, NDArray[Any]] = {
        KNOWN: np.array(known, np.uint8),
        ERRORS: np.array([intent.error for intent in indexed.intents.values()], np.float32),
    }
    settings: dict[str, Any] = {"max_error": indexed.max_error}
    groups = [intent.rows for intent in indexed.intents.values()]
    matrix: Matrix | None = None
    if indexed.quantizer is not None:
        quantizer = indexed.quantizer
        empty = np.empty((0, quantizer.num_sub), quantizer.code_dtype)
        matrix = QuantizedMatrix(np.concatenate([empty, *groups]), None, quantizer)
    elif groups:
        matrix = DenseMatrix(np.concatenate(groups))
    if matrix is not None:
        settings[ROWS], of_rows = matrix_parts(matrix, ROWS)
        tensors |= of_rows
    return settings, tensors


def read_index(
    templates: TemplateSet,
    search: Search,
    dim: int,
    settings: Mapping[str, Any],
    tensors: Mapping[str, NDArray[Any]],
) -> IndexedTemplates:
    """The index of the file's templates, of the parts that :func:`index_parts` gave.

    ModelFileError if one is missing, or if they do not fit each other, the search or the model's
    ``dim``.
    """
    texts = _known_texts(templates, tensors)
    matrix = _read_matrix(settings, tensors, search)
    num_found = 0 if matrix is None else len(matrix)
    num_rows = sum(len(known) + 1 for known in texts.values())
    if num_found != num_rows:
        raise ModelFileError(f"the index has {num_found} rows; {num_rows} are expected")
    if matrix is not None and matrix.dim != dim:
        raise ModelFileError(f"the index has {matrix.dim} dimensions, but the model has {dim}")
    errors = read_tensor(tensors, ERRORS, ["float32"], (len(texts),), "the index").tolist()
    max_error = read_number(settings, "max_error", 0.0, "the index")
    quantizer: Quantizer | None = None
    rows: NDArray[Any] = np.empty((0, 0), np.float32)
    if isinstance(matrix, QuantizedMatrix):
        quantizer, rows = matrix.quantizer, matrix.codes
    elif matrix is not None:
        rows = matrix.vectors
    intents, start = {}, 0
    for (name, known), error in zip(texts.items(), errors, strict=True):
        stop = start + len(known) + 1
        intents[name] = IntentRows(known, rows[start:stop], error)
        start = stop
    return IndexedTemplates(intents, quantizer, max_error)


def _read_matrix(
    settings: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]], search: Search
) -> Matrix | None:
    entry = settings.get(ROWS)
    if entry is None:
        return None
    if not isinstance(entry, dict):
        raise ModelFileError(f"the index has {shorten(entry)} as {ROWS}; an object is expected")
    matrix = matrix_from_tensors(tensors, ROWS, entry)
    if isinstance(matrix, QuantizedMatrix) != (search == "table"):
        raise ModelFileError(f"the rows of the index do not fit the search {search!r}")
    if isinstance(matrix, QuantizedMatrix):
        if matrix.norms is not None:
            raise ModelFileError("the rows of the index must not have norms")
    elif (np.abs(row_lengths(matrix.vectors) - 1) > _UNIT_TOLERANCE).any():
        raise ModelFileError("a row of the index is not of unit length")
    return matrix


def _known_texts(
    templates: TemplateSet, tensors: Mapping[str, NDArray[Any]]
) -> dict[str, tuple[str, ...]]:
    """The known templates of each intent that has any."""
    number = sum(len(intent.templates) for intent in templates.intents.values())
    known = iter(read_tensor(tensors, KNOWN, ["uint8"], (number,), "the index").tolist())
    texts = {
        name: tuple(compress(intent.templates, islice(known, len(intent.templates))))
        for name, intent in templates.intents.items()
    }
    return {name: of_intent for name, of_intent in texts.items() if of_intent}
