"""Hashed character n-grams: how a word without an embedding of its own gets one."""

from __future__ import annotations

_FNV_OFFSET = 2166136261
_FNV_PRIME = 16777619


def fnv1a(data: bytes) -> int:
    """32-bit FNV-1a hash (Fowler, Noll and Vo), 0..2**32-1."""
    value = _FNV_OFFSET
    for byte in data:
        value = ((value ^ byte) * _FNV_PRIME) & 0xFFFFFFFF
    return value


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
    grams = [
        bracketed[start : start + n]
        for n in range(min_n, max_n + 1)
        for start in range(len(bracketed) - n + 1)
    ]
    return [
        fnv1a(gram.encode("utf-8", "surrogatepass")) % num_buckets for gram in grams or [bracketed]
    ]
