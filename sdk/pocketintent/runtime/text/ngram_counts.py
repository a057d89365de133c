"""Signed counts of a text's hashed character n-grams: the features that see spelling.

The specification for ports, with test vectors, is ``docs/decision.md``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from pocketintent.runtime.arrays import FloatArray, IndexArray
from pocketintent.runtime.text.ngrams import ngram_hashes
from pocketintent.runtime.text.tokenizer import simple_tokenize

NUM_BUCKETS = 512
"""Size of the hash table; 2,048 buckets, or one for each n-gram, are no better."""
SETTINGS = {"min_n": 2, "max_n": 5, "num_buckets": NUM_BUCKETS}
"""Shortest and longest n-gram, in code points, and the size: as in an exported folder."""

_SLOT = np.dtype(np.uint16)
_CACHED_WORDS = 8192
_TEXTS_AT_ONCE = 64  # counts that fit the cache
_MAX_CACHED = 32
"""Characters of the longest word that is cached, so that the cache takes 4 MB at most."""


def count_ngrams(text: str) -> FloatArray:
    """The counts of the hashed n-grams of a text, float32 [NUM_BUCKETS]; zeros without tokens.

    Each token of the tokenizer ``simple`` is bracketed as ``<token>``. Every n-gram of 2 to 5 code
    points of it is hashed by 32-bit FNV-1a over its UTF-8 bytes; the nine low bits of the hash are
    the bucket, and the n-gram counts -1 if the top bit is set, otherwise +1 (Weinberger et al.
    2009, "Feature hashing for large scale multitask learning", section 2).
    """
    return count_ngrams_of_tokens(simple_tokenize(text))


def count_ngrams_of_tokens(tokens: Iterable[str]) -> FloatArray:
    """The counts of a text with these tokens, float32 [NUM_BUCKETS]; see :func:`count_ngrams`."""
    slots = b"".join([_slots[token] for token in tokens])
    signed = np.bincount(_read_slots(slots), minlength=2 * NUM_BUCKETS)
    return (signed[:NUM_BUCKETS] - signed[NUM_BUCKETS:]).astype(np.float32)


def count_ngrams_of_texts(texts: Sequence[str]) -> FloatArray:
    """The counts of several texts, float32 [num_texts, NUM_BUCKETS]; see :func:`count_ngrams`."""
    blocks = (texts[i : i + _TEXTS_AT_ONCE] for i in range(0, len(texts), _TEXTS_AT_ONCE))
    return np.concatenate([np.empty((0, NUM_BUCKETS), np.float32), *map(_count_block, blocks)])


def _count_block(texts: Sequence[str]) -> FloatArray:
    slots = [b"".join([_slots[token] for token in simple_tokenize(text)]) for text in texts]
    width, lengths = 2 * NUM_BUCKETS, [len(row) // _SLOT.itemsize for row in slots]
    places = _read_slots(b"".join(slots)) + np.repeat(np.arange(len(texts)) * width, lengths)
    signed = np.bincount(places, minlength=len(texts) * width).reshape(len(texts), 2, NUM_BUCKETS)
    return (signed[:, 0] - signed[:, 1]).astype(np.float32)


def _read_slots(slots: bytes) -> IndexArray:
    return np.frombuffer(slots, _SLOT).astype(np.intp)


class _Slots(dict[str, bytes]):
    """A slot for each n-gram of a token: its bucket, plus ``NUM_BUCKETS`` if it counts -1.

    The slots are the bytes of an array of ``_SLOT``, since bytes are joined faster than arrays. A
    full cache is emptied. Threads may share it.
    """

    def __missing__(self, token: str) -> bytes:
        hashes = ngram_hashes(f"<{token}>", SETTINGS["min_n"], SETTINGS["max_n"])
        slots = (hashes % NUM_BUCKETS + (hashes >> 31) * NUM_BUCKETS).astype(_SLOT).tobytes()
        if len(token) <= _MAX_CACHED:
            if len(self) >= _CACHED_WORDS:
                self.clear()
            self[token] = slots
        return slots


_slots = _Slots()
