"""32-bit FNV-1a (Fowler, Noll and Vo): of bytes, and of all n-grams of a word at once."""

from __future__ import annotations

OFFSET = 2166136261
"""The hash of no bytes."""
PRIME = 16777619
MASK = 0xFFFFFFFF
"""All bits of a hash."""
LANE = 64
"""Bits for each number among :func:`ascii_ngram_hashes`; a hash times ``PRIME`` needs 57."""

_GAP = "\0" * (LANE // 8 - 1)
_ONE = (1).to_bytes(LANE // 8, "little")


def fnv1a(data: bytes) -> int:
    """The hash of bytes, 0..2**32-1."""
    value = OFFSET
    for byte in data:
        value = ((value ^ byte) * PRIME) & MASK
    return value


def ascii_ngram_hashes(text: str, min_n: int, max_n: int) -> tuple[int, int]:
    """The hashes of all n-grams of a text of ASCII characters.

    All n-grams of a length are hashed side by side, since whole numbers have any number of bits in
    Python: the next character of each is one operation.

    Args:
        text: The text, of at least ``min_n`` characters.
        min_n: Shortest n-gram, at least 1.
        max_n: Longest n-gram.

    Returns:
        A whole number that has ``LANE`` bits for each n-gram, beginning with the lowest bits, with
        short n-grams first and n-grams of one length from left to right; and how many they are.
    """
    number = len(text)
    ones = lanes(number)
    characters = int.from_bytes(_GAP.join(text).encode(), "little")
    values, mask = ones * OFFSET, ones * MASK
    hashes = end = 0
    for length in range(1, min(max_n, number) + 1):
        values = ((values ^ characters) * PRIME) & mask
        if length >= min_n:
            hashes |= values << end
            end += LANE * (number - length + 1)
        characters >>= LANE
        mask >>= LANE
    return hashes, end // LANE


def lanes(number: int) -> int:
    """A whole number that has ``LANE`` bits for each of ``number`` ones."""
    return int.from_bytes(_ONE * number, "little")
