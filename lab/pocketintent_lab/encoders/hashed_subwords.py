"""Hashed character n-grams as fastText and floret compute them, for tables that they trained.

fastText (Bojanowski et al. 2017) hashes by FNV-1a, but extends the sign of each byte, so that text
beyond ASCII gets other hashes than by FNV-1a. floret hashes by MurmurHash3 (x64, 128 bits), gives
a word up to four rows for each n-gram, and adds the whole bracketed word. Both leave out a lone
bracket, and n-grams of ``</s>``, their end of a sentence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import IndexArray
from pocketintent.runtime.text.ngrams import NgramHash

OFFSET, PRIME = 2166136261, 16777619  # of 32-bit FNV-1a
FLORET_SEED = 2166136261
MAX_HASHES = 4
"""Number of 32-bit hashes in a hash of 128 bits."""

_END_OF_SENTENCE = "</s>"
_C1, _C2 = np.uint64(0x87C37B91114253D5), np.uint64(0x4CF5AD432745937F)


def fasttext_buckets(
    words: Sequence[str], min_n: int, max_n: int, num_buckets: int
) -> tuple[IndexArray, IndexArray]:
    """Buckets of words' n-grams by fastText's hash.

    Args:
        words: The words.
        min_n: Shortest n-gram, in code points; at least 1.
        max_n: Longest n-gram, in code points.
        num_buckets: Size of the hash table.

    Returns:
        The buckets, word after word, shortest n-grams first and left to right, intp
        [counts.sum()], and the number of buckets of each word, intp [num_words], which is 0 for a
        word shorter than any n-gram.
    """
    grams, counts = _ngrams(words, min_n, max_n, whole_words=False)
    return _modulo(fasttext_hashes(grams), num_buckets), counts


def floret_buckets(
    words: Sequence[str], min_n: int, max_n: int, num_buckets: int, num_hashes: int
) -> tuple[IndexArray, IndexArray]:
    """Rows of words and their n-grams in floret's table; see :func:`fasttext_buckets`.

    Each word has ``num_hashes`` rows for itself and for each of its n-grams.
    """
    grams, counts = _ngrams(words, min_n, max_n, whole_words=True)
    hashes = murmur_hashes(grams, FLORET_SEED)[:, :num_hashes]
    return _modulo(hashes, num_buckets).ravel(), counts * num_hashes


def fasttext_hashes(strings: Sequence[bytes]) -> NDArray[np.uint32]:
    """Hashes of strings by fastText's variant of FNV-1a, [num_strings]."""
    hashes = np.empty(len(strings), np.uint32)
    for places, data in _by_length(strings):
        signed = data.view(np.int8).astype(np.int32).view(np.uint32)
        values = np.full(len(data), OFFSET, np.uint32)
        for column in signed.T:
            values = (values ^ column) * np.uint32(PRIME)
        hashes[places] = values
    return hashes


def murmur_hashes(strings: Sequence[bytes], seed: int) -> NDArray[np.uint32]:
    """Hashes by MurmurHash3_x64_128 (Appleby), as four numbers of 32 bits, [num_strings, 4]."""
    hashes = np.empty((len(strings), MAX_HASHES), np.uint32)
    for places, data in _by_length(strings):
        length = data.shape[1]
        padded = np.zeros((len(data), -(-length // 16) * 16), np.uint8)
        padded[:, :length] = data
        blocks = padded.view("<u8").astype(np.uint64)
        h1: NDArray[np.uint64] = np.full(len(data), seed, np.uint64)
        h2: NDArray[np.uint64] = h1.copy()
        whole = length // 16 * 2
        for column in range(0, whole, 2):
            h1 ^= _scramble(blocks[:, column], _C1, 31, _C2)
            h1 = (_rotate(h1, 27) + h2) * np.uint64(5) + np.uint64(0x52DCE729)
            h2 ^= _scramble(blocks[:, column + 1], _C2, 33, _C1)
            h2 = (_rotate(h2, 31) + h1) * np.uint64(5) + np.uint64(0x38495AB5)
        if length % 16:
            h2 ^= _scramble(blocks[:, whole + 1], _C2, 33, _C1)
            h1 ^= _scramble(blocks[:, whole], _C1, 31, _C2)
        h1, h2 = h1 ^ np.uint64(length), h2 ^ np.uint64(length)
        h1 = h1 + h2
        h2 = h2 + h1
        h1, h2 = _mix(h1), _mix(h2)
        h1 = h1 + h2
        h2 = h2 + h1
        hashes[places] = np.stack([h1, h2], axis=1).astype("<u8").view("<u4")
    return hashes


def _modulo(hashes: NDArray[np.uint32], num_buckets: int) -> IndexArray:
    buckets: IndexArray = (hashes.astype(np.int64) % num_buckets).astype(np.intp)
    return buckets


def _ngrams(
    words: Sequence[str], min_n: int, max_n: int, *, whole_words: bool
) -> tuple[list[bytes], IndexArray]:
    """The n-grams of the words in UTF-8, and the number of each word's."""
    grams: list[bytes] = []
    counts = np.empty(len(words), np.intp)
    for number, word in enumerate(words):
        before = len(grams)
        if word != _END_OF_SENTENCE:
            grams += [
                gram.encode("utf-8", "surrogatepass")
                for gram in _ngrams_of(f"<{word}>", min_n, max_n, whole_words)
            ]
        counts[number] = len(grams) - before
    return grams, counts


def _ngrams_of(bracketed: str, min_n: int, max_n: int, whole_word: bool) -> Iterator[str]:
    """The bracketed word, where it counts too, and its n-grams, without a lone bracket."""
    if whole_word:
        yield bracketed
    size = len(bracketed)
    for n in range(min_n, min(max_n, size) + 1):
        inner = int(n == 1)
        for start in range(inner, size - n + 1 - inner):
            yield bracketed[start : start + n]


def _by_length(strings: Sequence[bytes]) -> Iterator[tuple[IndexArray, NDArray[np.uint8]]]:
    """The places of the strings of each length, and their bytes [num_strings, length]."""
    lengths = np.fromiter(map(len, strings), np.intp, len(strings))
    for length in np.unique(lengths).tolist():
        places = np.flatnonzero(lengths == length)
        joined = b"".join([strings[place] for place in places.tolist()])
        yield places, np.frombuffer(joined, np.uint8).reshape(len(places), length)


def _scramble(
    block: NDArray[np.uint64], factor: np.uint64, bits: int, last: np.uint64
) -> NDArray[np.uint64]:
    return _rotate(block * factor, bits) * last


def _rotate(values: NDArray[np.uint64], bits: int) -> NDArray[np.uint64]:
    return (values << np.uint64(bits)) | (values >> np.uint64(64 - bits))


def _mix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        values = (values ^ (values >> np.uint64(33))) * np.uint64(factor)
    return values ^ (values >> np.uint64(33))


FASTTEXT = NgramHash(
    1, lambda words, it: fasttext_buckets(words, it.min_n, it.max_n, it.num_buckets)
)
FLORET = NgramHash(
    MAX_HASHES,
    lambda words, it: floret_buckets(words, it.min_n, it.max_n, it.num_buckets, it.num_hashes),
)
