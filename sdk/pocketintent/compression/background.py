"""The background of a model: lines of its corpus that a bot should not answer."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import TypeVar

import numpy as np

from pocketintent.compression.quantise import sample_texts
from pocketintent.runtime.background import Background
from pocketintent.runtime.encoders.contract import Encoder, ModelEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.text.tokenizer import simple_tokenize

EncoderT = TypeVar("EncoderT", bound=ModelEncoder)

NUM_LINES = 500
"""Lines of a background, 64 KB. With 250 or 2,000 the accuracy is the same, within 0.3 points."""
LEAST_WORDS, MOST_WORDS = 3, 25
"""Words of the lines that are taken, if the corpus has such lines; shorter ones, such as "yes",
fit many intents."""

_SAMPLE = 20_000  # lines that the codebooks and the weights of n-grams are fitted on


def add_background(
    encoder: EncoderT, texts: Iterable[str], *, num_lines: int = NUM_LINES, seed: int = 0
) -> EncoderT:
    """A copy of a compressed encoder with lines of a corpus, as features.

    The decision ``logistic`` fits its classifiers against these ``num_lines`` lines, drawn by
    ``seed``. A corpus without a line that has a word of the model is a PocketIntentError.
    """
    background = make_background(encoder, texts, num_lines=num_lines, seed=seed)
    return encoder.replace(background=background)


def make_background(
    encoder: Encoder, texts: Iterable[str], *, num_lines: int = NUM_LINES, seed: int = 0
) -> Background:
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
    known_lines = [lines[row] for row in known]
    return Background.fit(vectors[known], known_lines, num_lines, seed=seed)
