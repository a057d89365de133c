"""The words that a pruned model has lost, in a few bits each: they are right, and not corrected.

The specification for ports, with test vectors, is ``docs/correction.md``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.text.ngrams import fnv1a

PREFIX = "vocabulary.lost."
"""Prefix of the tensors in a model file; the number of the filter follows."""

MIN_LETTERS, MAX_LETTERS = 3, 16
"""Letters of the words that can be corrected, and of those that are kept here."""

NUM_HASHES = 5
_BITS_PER_WORD = 10  # of 1,000 other words, 10 are taken for a lost one; 8 bits would take 22


class LostWords:
    """Bloom filters (Bloom 1970), one for each time that words were left out of a model.

    ``word in lost`` is true for each word that was left out, and for nearly no other.

    Args:
        filters: The bytes of each filter, at least one; see :meth:`with_words`.
    """

    def __init__(self, filters: Sequence[bytes] = ()) -> None:
        self.filters = tuple(filters)

    def __contains__(self, word: object) -> bool:
        if not self.filters or not isinstance(word, str):
            return False
        hashes = _hashes(word)
        return any(
            all(bits[place >> 3] >> (place & 7) & 1 for place in _places(hashes, 8 * len(bits)))
            for bits in self.filters
        )

    def with_words(self, words: Iterable[str]) -> LostWords:
        """These words, and others of which those that can be corrected are added."""
        added = list(filter(can_be_corrected, words))
        if not added:
            return self
        bits = bytearray(-(-_BITS_PER_WORD * len(added) // 8))
        for word in added:
            for place in _places(_hashes(word), 8 * len(bits)):
                bits[place >> 3] |= 1 << (place & 7)
        return LostWords([*self.filters, bytes(bits)])

    def to_tensors(self) -> dict[str, NDArray[Any]]:
        """The tensors of a model file: ``vocabulary.lost.0`` and so on, uint8 [num_bytes]."""
        arrays = (np.frombuffer(bits, np.uint8) for bits in self.filters)
        return {f"{PREFIX}{number}": array for number, array in enumerate(arrays)}

    @classmethod
    def from_tensors(cls, tensors: Mapping[str, NDArray[Any]]) -> LostWords:
        """Read what :meth:`to_tensors` wrote; nothing from a file without such tensors.

        Raises:
            ModelFileError: A tensor is empty, of another type, or not numbered from 0.
        """
        names = [name for name in tensors if name.startswith(PREFIX)]
        for name in names:
            if tensors[name].dtype != np.uint8 or tensors[name].ndim != 1 or not tensors[name].size:
                raise ModelFileError(f"{name} must be uint8 [num_bytes], of at least one byte")
        numbered = [f"{PREFIX}{number}" for number in range(len(names))]
        if set(names) != set(numbered):
            raise ModelFileError(f"{', '.join(sorted(names))}: these are not numbered from 0")
        return cls([tensors[name].tobytes() for name in numbered])


def can_be_corrected(word: str) -> bool:
    """Whether a word has the letters, a to z, and the length of one that is corrected."""
    return word.isascii() and word.isalpha() and MIN_LETTERS <= len(word) <= MAX_LETTERS


def _hashes(word: str) -> tuple[int, int]:
    data = word.encode("utf-8", "surrogatepass")
    return fnv1a(data), fnv1a(data[::-1])


def _places(hashes: tuple[int, int], num_bits: int) -> Iterable[int]:
    """The bits of a word in a filter of a number of bits (Kirsch and Mitzenmacher 2006)."""
    first, step = hashes
    # An odd divisor, since the lowest bit of the hash is the same in both directions.
    return ((first + number * step) % (num_bits - 1) for number in range(NUM_HASHES))
