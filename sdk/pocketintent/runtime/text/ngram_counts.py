"""Signed counts of a text's hashed character n-grams: the features that see spelling.

The specification for ports, with test vectors, is ``docs/decision.md``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from pocketintent.runtime.arrays import FloatArray, stack_rows, sum_rows
from pocketintent.runtime.text.tokenizer import simple_tokenize

MIN_N = 2
MAX_N = 5
"""Shortest and longest n-gram, in code points."""
NUM_BUCKETS = 512
"""Size of the hash table; 2,048 buckets, or one for each n-gram, are no better."""
SETTINGS = {"min_n": MIN_N, "max_n": MAX_N, "num_buckets": NUM_BUCKETS}
"""The description of the counts in the manifest of an exported folder."""

_FNV_OFFSET = 2166136261
_FNV_PRIME = 16777619
_FIRST_HASHES = [((_FNV_OFFSET ^ byte) * _FNV_PRIME) & 0xFFFFFFFF for byte in range(128)]
_CACHED_WORDS = 2048
_MAX_CACHED = 32
"""Characters of the longest word that is cached, whose counts take 2 KB like those of any other."""
_NO_COUNTS = np.zeros(NUM_BUCKETS, np.float32)


def count_ngrams(text: str) -> FloatArray:
    """Count the hashed n-grams of a text's tokens.

    Each token of the tokenizer ``simple`` is bracketed as ``<token>``. Every n-gram of 2 to 5 code
    points of it is hashed by 32-bit FNV-1a over its UTF-8 bytes; the nine low bits of the hash are
    the bucket, and the n-gram counts -1 if the top bit is set, otherwise +1 (Weinberger et al.
    2009, "Feature hashing for large scale multitask learning", section 2).

    Args:
        text: Any string.

    Returns:
        float32 [NUM_BUCKETS], whole numbers; zeros for a text without tokens.
    """
    return count_ngrams_of_tokens(simple_tokenize(text))


def count_ngrams_of_tokens(tokens: Iterable[str]) -> FloatArray:
    """The counts of a text with these tokens, float32 [NUM_BUCKETS]; see :func:`count_ngrams`."""
    rows = [_word_counts[token] for token in tokens]
    return sum_rows(stack_rows(rows)) if rows else _NO_COUNTS.copy()


def count_ngrams_of_texts(texts: Sequence[str]) -> FloatArray:
    """The counts of several texts, float32 [num_texts, NUM_BUCKETS]; see :func:`count_ngrams`."""
    counts = np.empty((len(texts), NUM_BUCKETS), np.float32)
    for row, text in zip(counts, texts, strict=True):
        row[:] = count_ngrams(text)
    return counts


class _WordCounts(dict[str, FloatArray]):
    """The counts of a token, float32 [NUM_BUCKETS].

    The cache has two halves: tokens are added to the newer half, and when it is full, the older
    half is dropped and the newer half takes its place. A token that is used again moves to the
    newer half. Threads may share the cache.
    """

    def __init__(self) -> None:
        super().__init__()
        self._older: dict[str, FloatArray] = {}

    def __missing__(self, token: str) -> FloatArray:
        counts = self._older.get(token)
        if counts is None:
            counts = _count_word(token)
        if len(token) <= _MAX_CACHED:
            if 2 * len(self) >= _CACHED_WORDS:
                self._older = dict(self)
                self.clear()
            self[token] = counts
        return counts


_word_counts = _WordCounts()


def _count_word(token: str) -> FloatArray:
    bracketed = f"<{token}>"
    slots = _ascii_slots(bracketed) if token.isascii() else _slots_of(bracketed)
    signed = np.bincount(slots, minlength=2 * NUM_BUCKETS)
    return (signed[:NUM_BUCKETS] - signed[NUM_BUCKETS:]).astype(np.float32)


def _ascii_slots(bracketed: str) -> list[int]:
    """The slots of a token whose characters are a byte each, as :func:`_slots_of`, but faster."""
    characters, slots = bracketed.encode(), list[int]()
    for start, first in enumerate(characters[:-1], 1):
        value = _FIRST_HASHES[first]
        for byte in characters[start : start + MAX_N - 1]:
            value = ((value ^ byte) * _FNV_PRIME) & 0xFFFFFFFF
            slots.append(value % NUM_BUCKETS + NUM_BUCKETS * (value >> 31))
    return slots


def _slots_of(bracketed: str) -> list[int]:
    """A slot for each n-gram: its bucket, plus ``NUM_BUCKETS`` if it counts -1."""
    # FNV-1a reads one byte after another, so an n-gram's hash goes on from that of its prefix.
    characters = [char.encode("utf-8", "surrogatepass") for char in bracketed]
    slots: list[int] = []
    for start in range(len(characters) - MIN_N + 1):
        value = _FNV_OFFSET
        for length, char in enumerate(characters[start : start + MAX_N], 1):
            for byte in char:
                value = ((value ^ byte) * _FNV_PRIME) & 0xFFFFFFFF
            if length >= MIN_N:
                slots.append(value % NUM_BUCKETS + NUM_BUCKETS * (value >> 31))
    return slots
