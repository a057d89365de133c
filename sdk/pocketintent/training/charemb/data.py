"""The data of CharEmb: terms as characters, their target vectors, and batches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray, IntArray
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.text.characters import UNKNOWN, CharVocabulary, normalise_chars
from pocketintent.training.charemb.settings import CharEmbSettings
from pocketintent.training.corpora.typing_errors import add_typing_errors
from pocketintent.training.corpora.word_counts import batches_of_similar_length

_SPLIT, _EPOCH, _BATCH, _PROBE = range(4)  # purposes of random generators, part of their seeds


@dataclass(frozen=True, eq=False)
class TargetTerms:
    """Terms with the direction and the length of each target vector."""

    texts: list[str]  # normalised and distinct
    directions: FloatArray  # unit vectors, float32 [num_terms, dim]
    log_norms: FloatArray  # natural logarithms of the vectors' lengths, float32 [num_terms]
    ranks: IntArray  # in the target, whose first term is the most frequent, from 0

    def __len__(self) -> int:
        return len(self.texts)

    def take(self, rows: IntArray) -> TargetTerms:
        """A selection of the terms, by row."""
        texts = [self.texts[row] for row in rows]
        return TargetTerms(texts, self.directions[rows], self.log_norms[rows], self.ranks[rows])


def read_terms(terms: Sequence[str], vectors: FloatArray, max_chars: int) -> TargetTerms:
    """Make examples from the rows of a target: words, terms or texts, and their vectors.

    Terms that are empty or equal to an earlier term after :func:`normalise_chars` are left out, and
    so are those with a zero vector. It is a PocketIntentError if a vector contains NaN or infinity,
    or fewer than two terms are left.
    """
    finite = np.isfinite(vectors).all(axis=1)
    if not finite.all():
        row = int(np.flatnonzero(~finite)[0])
        raise PocketIntentError(f"the vector of {terms[row]!r} contains NaN or infinity")
    norms = np.linalg.norm(vectors, axis=1)
    first: dict[str, int] = {}
    for row, term in enumerate(terms):
        text = normalise_chars(term, max_chars)
        if text and norms[row] > 0:
            first.setdefault(text, row)
    if len(first) < 2:
        raise PocketIntentError(f"{len(first)} usable terms of {len(terms)}; at least 2 are needed")
    rows = np.array(list(first.values()), np.int64)
    lengths = norms[rows].astype(np.float32)
    return TargetTerms(
        list(first), vectors[rows] / lengths[:, None], np.log(lengths).astype(np.float32), rows
    )


@dataclass(frozen=True, eq=False)
class CharEmbData:
    """The training terms, their characters, and the terms held out of training, perhaps none."""

    vocabulary: CharVocabulary
    training: TargetTerms
    validation: TargetTerms

    @classmethod
    def split(cls, terms: TargetTerms, settings: CharEmbSettings) -> CharEmbData:
        """Keep out a random share of the terms, and count the characters of the others.

        It is a PocketIntentError if no character is in enough terms.
        """
        order = np.random.default_rng([settings.seed, _SPLIT]).permutation(len(terms))
        kept_out = min(round(settings.validation * len(terms)), len(terms) - 1)
        validation, training = np.sort(order[:kept_out]), np.sort(order[kept_out:])
        train_terms = terms.take(training)
        counts = Counter(char for text in train_terms.texts for char in set(text))
        frequent = sorted(c for c, count in counts.items() if count >= settings.min_char_count)
        if not any(char != " " for char in frequent):
            raise PocketIntentError(
                f"no character is in {settings.min_char_count} terms; lower min_char_count"
            )
        vocabulary = CharVocabulary("".join(frequent), settings.max_chars)
        return cls(vocabulary, train_terms, terms.take(validation))


@dataclass(frozen=True, eq=False)
class CharBatch:
    """The terms of one step."""

    chars: IntArray  # their numbers, zeros after the end, int64 [num_terms, longest]
    lengths: IntArray  # characters of each term, int64 [num_terms]
    rows: IntArray  # of the terms in the data, int64 [num_terms]


class CharBatches:
    """Batches of terms of about equal length, each a function of seed, epoch and number alone."""

    def __init__(
        self, vocabulary: CharVocabulary, terms: TargetTerms, settings: CharEmbSettings
    ) -> None:
        self._vocabulary, self._texts, self._settings = vocabulary, terms.texts, settings
        self._lengths = np.array([len(text) for text in terms.texts])
        self._shares: NDArray[np.float64] | None = None
        if settings.rank_power > 0:
            shares = (terms.ranks + 1.0) ** -settings.rank_power
            self._shares = shares / shares.sum()

    def __len__(self) -> int:
        """Number of batches in an epoch."""
        return -(-len(self._texts) // self._settings.batch_size)

    def start_epoch(self, epoch: int) -> int:
        """Shuffle the terms for an epoch, from 0."""
        rng = np.random.default_rng([self._settings.seed, _EPOCH, epoch])
        num = len(self._texts)
        order = (
            rng.permutation(num) if self._shares is None else rng.choice(num, num, p=self._shares)
        )
        batches = batches_of_similar_length(order, self._lengths, self._settings.batch_size)
        self._batches = [batches[number] for number in rng.permutation(len(batches))]
        self._epoch = epoch
        return len(batches)

    def batch(self, number: int) -> CharBatch:
        """One batch of the current epoch, with its typing errors."""
        rows = self._batches[number]
        rng = np.random.default_rng([self._settings.seed, _BATCH, self._epoch, number])
        texts = [self._texts[row] for row in rows]
        share = self._settings.typing_errors
        if share > 0:
            # Two errors are to one error as one error is to none.
            draws = rng.random(len(texts))
            counts = (draws < share).astype(int) + (draws < share * share)
            texts = [add_typing_errors(t, n, rng) for t, n in zip(texts, counts, strict=True)]
        batch = make_batch(self._vocabulary, texts, rows)
        if self._settings.unknown > 0:
            batch.chars[rng.random(batch.chars.shape) < self._settings.unknown] = UNKNOWN
        return batch


def make_batch(vocabulary: CharVocabulary, texts: Sequence[str], rows: IntArray) -> CharBatch:
    """Join the characters of normalised texts, at least one, in one array.

    ``rows`` are the texts' rows in the data, int64 ``[num_texts]``.
    """
    numbers = [vocabulary.numbers_of_normalised(text[: vocabulary.max_chars]) for text in texts]
    lengths = np.array([len(text) for text in numbers], np.int64)
    chars = np.zeros((len(texts), int(lengths.max())), np.int64)
    for row, text in zip(chars, numbers, strict=True):
        row[: len(text)] = text
    return CharBatch(chars, lengths, rows)


def misspelt(texts: Sequence[str], seed: int, errors: int = 1) -> list[str]:
    """Add typing errors to texts, the same at each call, for measuring."""
    rng = np.random.default_rng([seed, _PROBE, errors])
    return [add_typing_errors(text, errors, rng) for text in texts]
