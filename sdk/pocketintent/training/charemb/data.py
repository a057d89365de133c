"""The examples of CharEmb: terms as characters, the vectors they should get, and batches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray, IntArray
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.text.characters import UNKNOWN, CharVocabulary, normalise_chars
from pocketintent.runtime.text.typing_errors import add_typing_errors
from pocketintent.training.charemb.settings import CharEmbSettings

_SPLIT, _EPOCH, _BATCH, _PROBE = range(4)  # what a random generator is for
_POOL_BATCHES = 50  # batches whose terms are sorted by length together


@dataclass(frozen=True, eq=False)
class TargetTerms:
    """Terms with the direction and the length of the vector that each should get."""

    texts: list[str]
    """The terms, normalised, all different."""
    directions: FloatArray
    """Unit vectors, float32 ``[num_terms, dim]``."""
    log_norms: FloatArray
    """Natural logarithms of the vectors' lengths, float32 ``[num_terms]``."""
    ranks: IntArray
    """Places of the terms in the target, which begins with the most frequent, from 0."""

    def __len__(self) -> int:
        return len(self.texts)

    def take(self, rows: IntArray) -> TargetTerms:
        """Some of the terms."""
        texts = [self.texts[row] for row in rows]
        return TargetTerms(texts, self.directions[rows], self.log_norms[rows], self.ranks[rows])


def read_terms(terms: Sequence[str], vectors: FloatArray, max_chars: int) -> TargetTerms:
    """Make examples of a target's rows.

    Left out are terms of which :func:`normalise_chars` leaves nothing, those that become equal
    to an earlier one, and those without a direction, whose vector is zeros.

    Args:
        terms: Words, terms or whole texts; an underscore is read as a space.
        vectors: Their vectors, float32 ``[num_terms, dim]``.
        max_chars: Characters of a text that are read.

    Raises:
        PocketIntentError: A vector holds NaN or infinity, or fewer than two terms are left.
    """
    finite = np.isfinite(vectors).all(axis=1)
    if not finite.all():
        row = int(np.flatnonzero(~finite)[0])
        raise PocketIntentError(f"the vector of {terms[row]!r} holds NaN or infinity")
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
    """What a run trains on and what it is measured on."""

    vocabulary: CharVocabulary
    """The characters of the training terms."""
    training: TargetTerms
    """What is learnt."""
    validation: TargetTerms
    """What is kept out; may be empty."""

    @classmethod
    def split(cls, terms: TargetTerms, settings: CharEmbSettings) -> CharEmbData:
        """Keep a random share of the terms out, and count the others' characters."""
        order = np.random.default_rng([settings.seed, _SPLIT]).permutation(len(terms))
        kept_out = min(round(settings.validation * len(terms)), len(terms) - 1)
        validation, training = np.sort(order[:kept_out]), np.sort(order[kept_out:])
        train_terms = terms.take(training)
        counts = Counter(char for text in train_terms.texts for char in set(text))
        known = sorted(c for c, count in counts.items() if count >= settings.min_char_count)
        if not any(char != " " for char in known):
            raise PocketIntentError(
                f"no character is in {settings.min_char_count} terms; lower min_char_count"
            )
        vocabulary = CharVocabulary("".join(known), settings.max_chars)
        return cls(vocabulary, train_terms, terms.take(validation))


@dataclass(frozen=True, eq=False)
class CharBatch:
    """Terms of one step."""

    chars: IntArray
    """Numbers of the characters ``[num_terms, longest]``, zeros after the end."""
    lengths: IntArray
    """``[num_terms]``."""
    rows: IntArray
    """Which terms they are, ``[num_terms]``."""


class CharBatches:
    """The batches of any epoch, each made of terms of about equal length.

    All that is random comes from the seed, the epoch and the batch's number alone, so a run
    can be taken up anywhere.

    Args:
        vocabulary: The characters.
        terms: The terms.
        settings: The run's settings.
    """

    def __init__(
        self, vocabulary: CharVocabulary, terms: TargetTerms, settings: CharEmbSettings
    ) -> None:
        self._vocabulary = vocabulary
        self._texts = terms.texts
        self._lengths = np.array([len(text) for text in terms.texts])
        self._settings = settings
        self._shares: NDArray[np.float64] | None = None
        if settings.rank_power > 0:
            shares = (terms.ranks + 1.0) ** -settings.rank_power
            self._shares = shares / shares.sum()
        self._epoch = -1
        self._batches: list[IntArray] = []

    def __len__(self) -> int:
        """Batches of an epoch."""
        return -(-len(self._texts) // self._settings.batch_size)

    def start_epoch(self, epoch: int) -> None:
        """Draw the order of an epoch, from 0."""
        if epoch == self._epoch:
            return
        rng = np.random.default_rng([self._settings.seed, _EPOCH, epoch])
        num, size = len(self._texts), self._settings.batch_size
        if self._shares is None:
            order = rng.permutation(num)
        else:
            order = rng.choice(num, num, p=self._shares)
        batches = []
        for start in range(0, num, size * _POOL_BATCHES):
            pool = order[start : start + size * _POOL_BATCHES]
            pool = pool[np.argsort(self._lengths[pool], kind="stable")]
            batches += [pool[first : first + size] for first in range(0, len(pool), size)]
        self._batches = [batches[number] for number in rng.permutation(len(batches))]
        self._epoch = epoch

    def batch(self, number: int) -> CharBatch:
        """A batch of the epoch that was started, with its typing errors."""
        rows = self._batches[number]
        rng = np.random.default_rng([self._settings.seed, _BATCH, self._epoch, number])
        texts = [self._texts[row] for row in rows]
        share = self._settings.typing_errors
        if share > 0:
            # A second error is as much rarer than one as one is rarer than none.
            draws = rng.random(len(texts))
            counts = (draws < share).astype(int) + (draws < share * share)
            texts = [add_typing_errors(t, n, rng) for t, n in zip(texts, counts, strict=True)]
        batch = make_batch(self._vocabulary, texts, rows)
        if self._settings.unknown > 0:
            batch.chars[rng.random(batch.chars.shape) < self._settings.unknown] = UNKNOWN
        return batch


def make_batch(vocabulary: CharVocabulary, texts: Sequence[str], rows: IntArray) -> CharBatch:
    """The characters of normalised texts as one array."""
    numbers = [vocabulary.numbers_of_normalised(text[: vocabulary.max_chars]) for text in texts]
    lengths = np.array([len(text) for text in numbers], np.int64)
    chars = np.zeros((len(texts), int(lengths.max())), np.int64)
    for row, text in zip(chars, numbers, strict=True):
        row[: len(text)] = text
    return CharBatch(chars, lengths, rows)


def misspelt(texts: Sequence[str], seed: int, errors: int = 1) -> list[str]:
    """The texts with typing errors that are the same at each call, for measuring."""
    rng = np.random.default_rng([seed, _PROBE, errors])
    return [add_typing_errors(text, errors, rng) for text in texts]
