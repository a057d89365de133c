"""Rows of random templates, and the index of given rows."""

from collections.abc import Sequence

import numpy as np

from pocketintent.runtime.arrays import unit_rows
from pocketintent.runtime.index.building import add_centroid
from pocketintent.runtime.index.indexed_templates import (
    MAX_DECODED,
    IndexedTemplates,
    IntentRows,
)
from pocketintent.runtime.quantization.quantizer import Quantizer


def make_groups(counts: list[int], dim: int = 16, seed: int = 0) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [
        add_centroid(unit_rows(rng.normal(size=(count, dim)).astype(np.float32)))
        for count in counts
    ]


def make_query(dim: int = 16, seed: int = 9) -> np.ndarray:
    return unit_rows(np.random.default_rng(seed).normal(size=(1, dim)).astype(np.float32))[0]


def index_of(
    groups: Sequence[np.ndarray],
    quantizer: Quantizer | None = None,
    max_decoded: int = MAX_DECODED,
) -> IndexedTemplates:
    """The index of intents with these rows: vectors, or codes of the quantiser."""
    intents = {
        f"intent_{number}": IntentRows(("text",) * (len(rows) - 1), rows)
        for number, rows in enumerate(groups)
    }
    return IndexedTemplates(intents, quantizer, 0.0, max_decoded)
