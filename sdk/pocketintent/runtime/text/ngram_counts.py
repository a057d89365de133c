"""Signed counts of a text's hashed character n-grams: the features that see spelling.

The specification for ports, with test vectors, is ``docs/decision.md``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray, IndexArray
from pocketintent.runtime.text.fnv import MASK, OFFSET, PRIME, ascii_ngram_hashes, lanes
from pocketintent.runtime.text.tokenizer import simple_tokenize

MIN_N = 2
MAX_N = 5
"""Shortest and longest n-gram, in code points."""
NUM_BUCKETS = 512
"""Size of the hash table; 2,048 buckets, or one for each n-gram, are no better."""
SETTINGS = {"min_n": MIN_N, "max_n": MAX_N, "num_buckets": NUM_BUCKETS}
"""The description of the counts in the manifest of an exported folder."""

_TO_SIGN = 31 - (NUM_BUCKETS.bit_length() - 1)  # from the sign of a hash to the bit above a bucket
_SLOT = np.dtype(np.uint16)
_CACHED_WORDS = 8192
_TEXTS_AT_ONCE = 64  # counts that fit the cache
_MAX_CACHED = 32
"""Characters of the longest word that is cached, so that the cache takes 4 MB at most."""


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
    slots = b"".join([_slots[token] for token in tokens])
    signed = np.bincount(_read_slots(slots), minlength=2 * NUM_BUCKETS)
    return (signed[:NUM_BUCKETS] - signed[NUM_BUCKETS:]).astype(np.float32)


def count_ngrams_of_texts(texts: Sequence[str]) -> FloatArray:
    """The counts of several texts, float32 [num_texts, NUM_BUCKETS]; see :func:`count_ngrams`."""
    counts = np.empty((len(texts), NUM_BUCKETS), np.float32)
    for start in range(0, len(texts), _TEXTS_AT_ONCE):
        block = texts[start : start + _TEXTS_AT_ONCE]
        counts[start : start + len(block)] = _count_block(block)
    return counts


def _count_block(texts: Sequence[str]) -> FloatArray:
    slots = [b"".join([_slots[token] for token in simple_tokenize(text)]) for text in texts]
    width = 2 * NUM_BUCKETS
    places = _read_slots(b"".join(slots))
    places += np.repeat(
        np.arange(len(texts)) * width, [len(row) // _SLOT.itemsize for row in slots]
    )
    signed = np.bincount(places, minlength=len(texts) * width).reshape(len(texts), 2, NUM_BUCKETS)
    return (signed[:, 0] - signed[:, 1]).astype(np.float32)


def _read_slots(slots: bytes) -> IndexArray:
    return np.frombuffer(slots, _SLOT).astype(np.intp)


class _Slots(dict[str, bytes]):
    """A slot for each n-gram of a token: its bucket, plus ``NUM_BUCKETS`` if it counts -1.

    The slots of a token, in any order, are the bytes of an array of ``_SLOT``, since bytes are
    joined faster than arrays. The cache has two halves: tokens are added to the newer half, and
    when it is full, the older half is dropped and the newer half takes its place. A token that is
    used again moves to the newer half. Threads may share the cache.
    """

    def __init__(self) -> None:
        super().__init__()
        self._older: dict[str, bytes] = {}

    def __missing__(self, token: str) -> bytes:
        slots = self._older.get(token) or _hash_ngrams(token)
        if len(token) <= _MAX_CACHED:
            if 2 * len(self) >= _CACHED_WORDS:
                self._older = dict(self)
                self.clear()
            self[token] = slots
        return slots


_slots = _Slots()


def _hash_ngrams(token: str) -> bytes:
    bracketed = f"<{token}>"
    return (_ascii_slots(bracketed) if token.isascii() else _slots_of(bracketed)).tobytes()


def _slots_of(bracketed: str) -> NDArray[np.uint16]:
    # FNV-1a reads one byte after another, so an n-gram's hash goes on from that of its prefix.
    characters = [char.encode("utf-8", "surrogatepass") for char in bracketed]
    slots = []
    for start in range(len(characters) - MIN_N + 1):
        value = OFFSET
        for length, char in enumerate(characters[start : start + MAX_N], 1):
            for byte in char:
                value = ((value ^ byte) * PRIME) & MASK
            if length >= MIN_N:
                slots.append(value % NUM_BUCKETS + NUM_BUCKETS * (value >> 31))
    return np.array(slots, _SLOT)


def _ascii_slots(bracketed: str) -> NDArray[np.uint16]:
    """The slots of a token of ASCII characters, as :func:`_slots_of`, but faster."""
    hashes, number = ascii_ngram_hashes(bracketed, MIN_N, MAX_N)
    ones = lanes(number)
    slots = hashes & ones * (NUM_BUCKETS - 1) | hashes >> _TO_SIGN & ones * NUM_BUCKETS
    return np.frombuffer(slots.to_bytes(8 * number, "little"), "<u8").astype(_SLOT)
