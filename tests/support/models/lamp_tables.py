"""A table of nine words, and texts with and without them, for the tests of what reads a table."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from pocketintent.compression.codebooks import encode_matrix, fit_quantizer
from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.quantization.matrices import DenseMatrix, Matrix
from pocketintent.runtime.text.ngrams import NgramSettings
from pocketintent.runtime.text.vocabulary import Vocabulary

DIM = 8
WORDS = ["turn", "on", "the", "lamp", "light", "play", "music", "pizza", "um"]
TOKENS = [*WORDS, "lmap", "muisc", "x", "🙂", "日本", "!", "\0"]
TEXT_LISTS = st.lists(st.lists(st.sampled_from(TOKENS), max_size=9).map(" ".join), max_size=8)
ROTATED_TEXTS = [" ".join([*TOKENS[n:], *TOKENS[:n]]) for n in range(len(TOKENS))]
HOSTILE_TEXTS = [
    "",
    " ",
    "lamp",
    "zzz",
    "zzz qqq",
    "\0",
    "la\0mp",
    "🙂 👩‍👩‍👧‍👦",
    "\ud800",
    "lamp " * 200_000,
]


def make_table(ngrams: bool = True, quantised: bool = False) -> StaticEncoder:
    """A table of random vectors; that of "um" is zeros.

    Args:
        ngrams: Whether it has n-grams, from which unknown words get a vector.
        quantised: Whether its vectors are stored as codes.
    """
    vectors = np.random.default_rng(0).normal(0, 0.5, (len(WORDS), DIM)).astype(np.float32)
    vectors[WORDS.index("um")] = 0
    buckets = np.random.default_rng(1).normal(0, 0.5, (7, DIM)).astype(np.float32)

    def store(rows: FloatArray) -> Matrix:
        if not quantised:
            return DenseMatrix(rows)
        return encode_matrix(rows, fit_quantizer(rows, sub_dim=2, codebook_size=4))

    parts: dict[str, Any] = {}
    if ngrams:
        parts = {"ngrams": store(buckets), "ngram_settings": NgramSettings(2, 3, 7, 0.5)}
    return StaticEncoder(Vocabulary(WORDS), store(vectors), manifest={"training": 1}, **parts)
