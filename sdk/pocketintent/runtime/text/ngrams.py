"""Hashed character n-grams: how a word without an embedding of its own gets one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import IndexArray
from pocketintent.runtime.errors import ModelFileError, shorten
from pocketintent.runtime.text.fnv import OFFSET, PRIME, ascii_ngram_hashes, fnv1a
from pocketintent.runtime.text.hashed_subwords import (
    MAX_HASHES,
    fasttext_buckets,
    floret_buckets,
)

MAX_N = 64
"""Longest n-gram that a model may ask for, in code points."""

MAX_WEIGHT = 1000
"""Largest factor on the n-grams' vectors of an unknown word."""


def ngram_buckets(word: str, min_n: int, max_n: int, num_buckets: int) -> list[int]:
    """Buckets of a word's character n-grams (Bojanowski et al. 2017, section 3.2).

    The word is bracketed as ``<word>`` so that prefixes and suffixes differ from the middle.
    Lengths are in code points. A word too short for any n-gram yields the bracketed word
    itself, so every word has at least one bucket.

    Args:
        word: One token.
        min_n: Shortest n-gram, in code points.
        max_n: Longest n-gram, in code points.
        num_buckets: Size of the hash table.

    Returns:
        One bucket in ``0..num_buckets-1`` for each n-gram, shortest n-grams first and left to
        right, repeats kept.
    """
    bracketed = f"<{word}>"
    if bracketed.isascii():
        hashes, number = ascii_ngram_hashes(bracketed, min(min_n, len(bracketed)), max_n)
        values = np.frombuffer(hashes.to_bytes(8 * number, "little"), "<u8")
        buckets: list[int] = (values % num_buckets).tolist()
        return buckets
    grams = [
        bracketed[start : start + n]
        for n in range(min_n, max_n + 1)
        for start in range(len(bracketed) - n + 1)
    ]
    return [
        fnv1a(gram.encode("utf-8", "surrogatepass")) % num_buckets for gram in grams or [bracketed]
    ]


def ngram_buckets_of_words(
    words: Sequence[str], min_n: int, max_n: int, num_buckets: int
) -> tuple[IndexArray, IndexArray]:
    """Buckets of the character n-grams of several words, hashed together.

    Args:
        words: The tokens.
        min_n: Shortest n-gram, in code points.
        max_n: Longest n-gram, in code points.
        num_buckets: Size of the hash table.

    Returns:
        The buckets, word after word and for each word in the order of :func:`ngram_buckets`, intp
        [counts.sum()], and the number of buckets of each word, intp [num_words].
    """
    text = "".join(f"<{word}>" for word in words).encode("utf-8", "surrogatepass")
    data = np.frombuffer(text, np.uint8)
    first_bytes = np.flatnonzero((data & 0xC0) != 0x80)
    ends_char = np.zeros(len(data), np.bool_)
    ends_char[first_bytes - 1] = True  # the last byte of the text too, since -1 is an index
    char_of = np.repeat(np.arange(len(first_bytes)), np.diff(first_bytes, append=len(data)))
    lengths = np.array([len(word) + 2 for word in words], np.intp)  # of the bracketed words
    word_of = np.repeat(np.arange(len(words)), lengths)

    shortest = np.minimum(lengths, min_n)
    counts = _num_ngrams(lengths, shortest, np.minimum(lengths, max_n) + 1)
    # Where the first n-gram of a word would be stored if the word began with the text.
    places = np.cumsum(counts) - counts - (np.cumsum(lengths) - lengths)
    buckets = np.empty(int(counts.sum()), np.intp)

    starts = np.arange(len(first_bytes))  # the characters at which n-grams begin
    limits = np.minimum(starts + max_n, np.cumsum(lengths)[word_of])
    at: IndexArray = first_bytes
    values: NDArray[np.uint32] = np.full(len(starts), OFFSET, np.uint32)
    while len(starts):  # each step hashes one more byte of every n-gram
        values = (values ^ data[at]) * np.uint32(PRIME)
        owners = word_of[starts]
        sizes = char_of[at] - starts + 1
        complete = np.flatnonzero(ends_char[at] & (sizes >= shortest[owners]))
        owners, sizes = owners[complete], sizes[complete]
        shorter = _num_ngrams(lengths[owners], shortest[owners], sizes)
        targets = places[owners] + shorter + starts[complete]
        buckets[targets] = values[complete].astype(np.int64) % num_buckets
        at = at + 1
        more = np.flatnonzero(at < len(data))
        more = more[char_of[at[more]] < limits[starts[more]]]
        starts, at, values = starts[more], at[more], values[more]
    return buckets, counts


def _num_ngrams(lengths: IndexArray, first: IndexArray, stop: IndexArray) -> IndexArray:
    """Number of n-grams of words: the sum of ``length - n + 1`` for n in ``range(first, stop)``."""
    number: IndexArray = (stop - first) * (2 * lengths - first - stop + 3) // 2
    return number


@dataclass(frozen=True)
class NgramSettings:
    """How an unknown word gets a vector: ``weight`` times the mean of its n-grams' vectors.

    Raises:
        ModelFileError: A setting is of the wrong type or out of its range.
    """

    min_n: int
    """Shortest n-gram, in code points; at least 1."""
    max_n: int
    """Longest n-gram, in code points; from ``min_n`` to ``MAX_N``."""
    num_buckets: int
    """Size of the hash table, and so the number of n-gram vectors; at least 1."""
    weight: float = 1.0
    """Factor on the mean, from -``MAX_WEIGHT`` to ``MAX_WEIGHT``."""
    hash: str = "fnv1a"
    """How n-grams are chosen and hashed: ``fnv1a``, see :func:`ngram_buckets`; or ``fasttext`` or
    ``floret``, for tables that these programs trained, see ``hashed_subwords``."""
    num_hashes: int = 1
    """Rows of the table for each n-gram, 1 to 4; more than one only with ``floret``."""

    def __post_init__(self) -> None:
        sizes = (self.min_n, self.max_n, self.num_buckets)
        if (
            any(type(size) is not int for size in sizes)
            or not 1 <= self.min_n <= self.max_n <= MAX_N
        ):
            raise ModelFileError(
                f"n-gram settings need whole numbers with 1 <= min_n <= max_n <= {MAX_N}, not "
                f"{asdict(self)}"
            )
        if self.num_buckets < 1:
            raise ModelFileError(f"n-grams need at least one bucket, not {self.num_buckets}")
        if type(self.weight) not in (int, float) or not abs(self.weight) <= MAX_WEIGHT:
            raise ModelFileError(
                f"the n-gram weight must be a finite number from {-MAX_WEIGHT} to "
                f"{MAX_WEIGHT}, not {self.weight!r}"
            )
        if type(self.hash) is not str or self.hash not in HASHES:
            raise ModelFileError(
                f"the n-gram hash {shorten(self.hash)} is unknown; {', '.join(HASHES)} are "
                "supported"
            )
        most = HASHES[self.hash].max_hashes
        if type(self.num_hashes) is not int or not 1 <= self.num_hashes <= most:
            raise ModelFileError(
                f"num_hashes of the n-gram hash {self.hash!r} must be a whole number from 1 to "
                f"{most}, not {shorten(self.num_hashes)}"
            )

    def buckets(self, word: str) -> list[int]:
        """Buckets of a word's n-grams; fastText gives none to a word shorter than ``min_n``."""
        return HASHES[self.hash].of_word(word, self)

    def buckets_of_words(self, words: Sequence[str]) -> tuple[IndexArray, IndexArray]:
        """Buckets of several words' n-grams, word after word, and their number for each word."""
        return HASHES[self.hash].of_words(words, self)

    def to_manifest(self) -> dict[str, Any]:
        """The settings as the manifest's ``ngram_settings``; defaults of the hash are left out."""
        entry = asdict(self)
        return {k: v for k, v in entry.items() if k not in _OPTIONAL or v != _OPTIONAL[k]}

    @classmethod
    def from_manifest(cls, entry: object) -> NgramSettings:
        """The settings of a manifest's ``ngram_settings``; further keys are ignored.

        Raises:
            ModelFileError: A setting is missing, of the wrong type or out of its range.
        """
        names = [field.name for field in fields(cls) if field.name not in _OPTIONAL]
        if not isinstance(entry, Mapping) or not entry.keys() >= set(names):
            raise ModelFileError(f"n-gram settings need {', '.join(names)}, not {entry!r}")
        optional = {name: entry[name] for name in _OPTIONAL if name in entry}
        return cls(**{name: entry[name] for name in names}, **optional)


_OPTIONAL = {"hash": "fnv1a", "num_hashes": 1}
"""Settings that a manifest leaves out where they have these defaults."""


class NgramHash(NamedTuple):
    """A way to choose and hash the n-grams of words."""

    max_hashes: int
    """Largest ``num_hashes``."""
    of_word: Callable[[str, NgramSettings], list[int]]
    """See :meth:`NgramSettings.buckets`."""
    of_words: Callable[[Sequence[str], NgramSettings], tuple[IndexArray, IndexArray]]
    """See :meth:`NgramSettings.buckets_of_words`."""


def _fasttext(words: Sequence[str], settings: NgramSettings) -> tuple[IndexArray, IndexArray]:
    return fasttext_buckets(words, settings.min_n, settings.max_n, settings.num_buckets)


def _floret(words: Sequence[str], settings: NgramSettings) -> tuple[IndexArray, IndexArray]:
    table = (settings.min_n, settings.max_n, settings.num_buckets)
    return floret_buckets(words, *table, settings.num_hashes)


HASHES = {
    "fnv1a": NgramHash(
        1,
        lambda word, it: ngram_buckets(word, it.min_n, it.max_n, it.num_buckets),
        lambda words, it: ngram_buckets_of_words(words, it.min_n, it.max_n, it.num_buckets),
    ),
    "fasttext": NgramHash(1, lambda word, it: _fasttext([word], it)[0].tolist(), _fasttext),
    "floret": NgramHash(MAX_HASHES, lambda word, it: _floret([word], it)[0].tolist(), _floret),
}
"""The values of :attr:`NgramSettings.hash`."""
