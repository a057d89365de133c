"""The background of a model: lines of its corpus that a bot should not answer."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import TypeVar

import numpy as np

from pocketintent.compression.codebooks import encode_matrix, fit_quantizer
from pocketintent.compression.quantise import sample_texts
from pocketintent.runtime.arrays import FloatArray, unit_rows
from pocketintent.runtime.background import Background
from pocketintent.runtime.encoders.contract import Encoder, ModelEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.quantization.matrices import QuantizedMatrix
from pocketintent.runtime.text.ngram_counts import count_ngrams_of_texts
from pocketintent.runtime.text.tokenizer import simple_tokenize

EncoderT = TypeVar("EncoderT", bound=ModelEncoder)

NUM_LINES = 500
"""Lines of a background, 64 KB. With 250 or 2,000 the accuracy is the same, within 0.3 points."""
LEAST_WORDS, MOST_WORDS = 3, 25
"""Words of the lines that are taken, if the corpus has such lines; shorter ones, such as "yes",
fit many intents."""

_SAMPLE = 20_000  # lines that the codebooks and the weights of n-grams are fitted on
_VECTOR_SUB_DIM, _NGRAM_SUB_DIM = 4, 8
"""Dimensions for each code of a line's sentence vector and of its n-grams: 128 bytes a line. The
classifier is as accurate with these codes as with floats."""


def add_background(encoder: EncoderT, texts: Iterable[str], *, seed: int = 0) -> EncoderT:
    """A copy of a compressed encoder with ``NUM_LINES`` lines of a corpus, drawn by ``seed``.

    A corpus without a line that has a word of the model is a PocketIntentError.
    """
    return encoder.replace(background=make_background(encoder, texts, seed=seed))


def make_background(encoder: Encoder, texts: Iterable[str], *, seed: int = 0) -> Background:
    """Make the background of any encoder; see :func:`add_background`."""
    sample = list(dict.fromkeys(sample_texts(texts, _SAMPLE, seed)))
    random.Random(seed).shuffle(sample)
    usual = range(LEAST_WORDS, MOST_WORDS + 1)
    lines = [text for text in sample if len(simple_tokenize(text)) in usual] or sample
    vectors = encoder.encode_batch(lines).reshape(len(lines), encoder.dim)
    known = np.flatnonzero(vectors.any(axis=1))
    if not len(known):
        raise PocketIntentError(
            f"none of {len(lines)} lines of the corpus has a word that the model knows; give a "
            "corpus in the language of the model"
        )
    return fit_background(vectors[known], [lines[row] for row in known], NUM_LINES, seed=seed)


def fit_background(
    vectors: FloatArray, texts: Sequence[str], num_lines: int, *, seed: int = 0
) -> Background:
    """Fit codebooks and weights of n-grams on lines of a corpus, and keep the first of the lines.

    ``vectors`` are those of the ``texts``, at least one, in random order: float32 [num_texts, dim],
    none zero. A bucket that n of N texts have weighs ``ln((1 + N) / (1 + n)) + 1``.
    """
    counts = count_ngrams_of_texts(texts)
    frequency = np.count_nonzero(counts, axis=0)
    idf = (np.log((1 + len(counts)) / (1 + frequency)) + 1).astype(np.float32)
    idf = idf.astype(np.float16).astype(np.float32)  # half precision, as the model file keeps it

    def encode(rows: FloatArray, sub_dim: int) -> QuantizedMatrix:
        while rows.shape[1] % sub_dim:
            sub_dim //= 2
        quantizer = fit_quantizer(
            rows,
            sub_dim=sub_dim,
            codebook_size=256,
            per_position=False,
            normalised=False,
            sample=_SAMPLE,
            seed=seed,
        )
        return encode_matrix(rows[:num_lines], quantizer)

    ngrams = unit_rows(counts * idf)
    return Background(encode(vectors, _VECTOR_SUB_DIM), encode(ngrams, _NGRAM_SUB_DIM), idf)
