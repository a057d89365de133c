"""Small encoders and template indexes of random codes."""

from collections.abc import Callable
from itertools import islice, product
from string import ascii_lowercase
from typing import Any

import numpy as np
import pytest

from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.index.indexed_templates import IndexedTemplates, IntentRows
from pocketintent.runtime.quantization.matrices import QuantizedMatrix
from pocketintent.runtime.quantization.quantizer import Quantizer
from pocketintent.runtime.text.ngrams import NgramSettings
from pocketintent.runtime.text.vocabulary import Vocabulary

MakeMatrix = Callable[..., QuantizedMatrix]
MakeEncoder = Callable[..., StaticEncoder]
MakeIndex = Callable[..., IndexedTemplates]


def words_of(number: int) -> list[str]:
    """A number of four-letter words, in alphabetical order."""
    return list(islice(map("".join, product(ascii_lowercase, repeat=4)), number))


@pytest.fixture(scope="session")
def make_matrix() -> MakeMatrix:
    """Returns a matrix of random codes, with a random codebook."""

    def make(
        num: int,
        dim: int = 12,
        sub_dim: int = 2,
        size: int = 16,
        per_position: bool = True,
        normalised: bool = True,
        seed: int = 0,
    ) -> QuantizedMatrix:
        rng = np.random.default_rng(seed)
        num_books = dim // sub_dim if per_position else 1
        codebook = rng.normal(size=(num_books, size, sub_dim)).astype(np.float32)
        quantizer = Quantizer(codebook, dim, normalised)
        codes = rng.integers(0, size, (num, dim // sub_dim)).astype(quantizer.code_dtype)
        norms = rng.uniform(0.5, 2.0, num).astype(np.float16) if normalised else None
        return QuantizedMatrix(codes, norms, quantizer)

    return make


@pytest.fixture(scope="session")
def make_encoder(make_matrix: MakeMatrix) -> MakeEncoder:
    """Returns an encoder of the words ``aaaa``, ``aaab`` and so on, with n-grams or without."""

    def make(
        words: dict[str, Any], ngrams: dict[str, Any] | None, num_words: int = 30
    ) -> StaticEncoder:
        buckets = None if ngrams is None else make_matrix(**{"num": 20, "seed": 1, **ngrams})
        return StaticEncoder(
            Vocabulary(words_of(num_words)),
            make_matrix(num_words, **words),
            ngrams=buckets,
            ngram_settings=None if buckets is None else NgramSettings(2, 3, len(buckets), 0.75),
        )

    return make


@pytest.fixture(scope="session")
def make_index(make_matrix: MakeMatrix) -> MakeIndex:
    """Returns an index of intents with these numbers of templates, all of random codes."""

    def make(counts: list[int], **settings: Any) -> IndexedTemplates:
        rows = make_matrix(sum(counts) + len(counts), **{"normalised": False, **settings})
        ends = np.cumsum([count + 1 for count in counts])
        texts = (f"template {number}" for number in range(sum(counts)))
        groups = zip(counts, np.split(rows.codes, ends[:-1]), strict=True)
        intents = {
            f"intent_{number}": IntentRows(tuple(islice(texts, count)), codes)
            for number, (count, codes) in enumerate(groups)
        }
        return IndexedTemplates(intents, rows.quantizer, 0.0)

    return make
