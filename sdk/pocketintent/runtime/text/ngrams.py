"""Hashed character n-grams: how a word without an embedding of its own gets one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import IndexArray
from pocketintent.runtime.errors import ModelFileError, shorten

MAX_N = 64
"""Longest n-gram that a model may ask for, in code points."""

MAX_WEIGHT = 1000
"""Largest factor on the n-grams' vectors of an unknown word."""

_OFFSET, _PRIME, _MASK = 2166136261, 16777619, 0xFFFFFFFF  # of 32-bit FNV-1a
_LANE = 8  # bytes for each of several hashes side by side; a hash times _PRIME needs 57 bits
_GAP = "\0" * (_LANE - 1)


def fnv1a(data: bytes, value: int = _OFFSET) -> int:
    """The 32-bit FNV-1a hash (Fowler, Noll and Vo) of bytes that follow those hashed as value."""
    for byte in data:
        value = ((value ^ byte) * _PRIME) & _MASK
    return value


def ngram_hashes(text: str, min_n: int, max_n: int) -> NDArray[np.uint64]:
    """The FNV-1a hashes, 0..2**32-1, of the UTF-8 bytes of all n-grams of a text.

    Short n-grams come first, those of one length from left to right. The text has at least
    ``min_n`` characters, which is at least 1.
    """
    number, longest = len(text), min(max_n, len(text))
    if not text.isascii():
        characters = [char.encode("utf-8", "surrogatepass") for char in text]
        values, found = [_OFFSET] * number, []
        for length in range(1, longest + 1):  # a hash goes on from that of the n-gram's beginning
            values = [fnv1a(*pair) for pair in zip(characters[length - 1 :], values, strict=False)]
            found += values if length >= min_n else []
        return np.array(found, np.uint64)
    # All n-grams of a length are hashed at once, since a whole number has any number of bits in
    # Python: the next character of each is one operation.
    ones = int.from_bytes((1).to_bytes(_LANE, "little") * number, "little")
    letters = int.from_bytes(_GAP.join(text).encode(), "little")
    lanes, mask, rows = ones * _OFFSET, ones * _MASK, []
    for length in range(1, longest + 1):
        lanes = ((lanes ^ letters) * _PRIME) & mask
        if length >= min_n:
            rows.append(lanes.to_bytes(_LANE * (number - length + 1), "little"))
        letters >>= 8 * _LANE
        mask >>= 8 * _LANE
    return np.frombuffer(b"".join(rows), "<u8")


def ngram_buckets(word: str, min_n: int, max_n: int, num_buckets: int) -> list[int]:
    """Buckets of a word's character n-grams (Bojanowski et al. 2017, section 3.2).

    The word is bracketed as ``<word>`` so that prefixes and suffixes differ from the middle. One
    too short for any n-gram yields the bracketed word itself. The buckets are 0..``num_buckets`` -
    1, in the order of :func:`ngram_hashes`.
    """
    buckets: list[int] = ngram_buckets_of_words([word], min_n, max_n, num_buckets)[0].tolist()
    return buckets


def ngram_buckets_of_words(
    words: Sequence[str], min_n: int, max_n: int, num_buckets: int
) -> tuple[IndexArray, IndexArray]:
    """Buckets of the n-grams of several words; see :func:`ngram_buckets`.

    The buckets are intp [counts.sum()], word after word; the counts of each word intp [num_words].
    """
    rows = [ngram_hashes(f"<{word}>", min(min_n, len(word) + 2), max_n) for word in words]
    counts = np.fromiter(map(len, rows), np.intp, len(rows))
    hashes = np.concatenate(rows) if rows else np.empty(0, np.uint64)
    return (hashes % num_buckets).astype(np.intp), counts


@dataclass(frozen=True)
class NgramSettings:
    """How an unknown word gets a vector: ``weight`` times the mean of its n-grams' vectors.

    ModelFileError for a setting of the wrong type or out of its range.
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
    """How n-grams are chosen and hashed: ``fnv1a``, see :func:`ngram_buckets`, or the name of an
    installed :class:`NgramHash`."""
    num_hashes: int = 1
    """Rows of the table for each n-gram, from 1 to the hash's ``max_hashes``."""

    def __post_init__(self) -> None:
        are_whole = all(type(n) is int for n in (self.min_n, self.max_n, self.num_buckets))
        if not are_whole or not 1 <= self.min_n <= self.max_n <= MAX_N:
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
        most = find_hash(self.hash).max_hashes
        if type(self.num_hashes) is not int or not 1 <= self.num_hashes <= most:
            raise ModelFileError(
                f"num_hashes of the n-gram hash {self.hash!r} must be a whole number from 1 to "
                f"{most}, not {shorten(self.num_hashes)}"
            )

    def buckets(self, word: str) -> list[int]:
        """Buckets of a word's n-grams; fastText gives none to a word shorter than ``min_n``."""
        buckets: list[int] = self.buckets_of_words([word])[0].tolist()
        return buckets

    def buckets_of_words(self, words: Sequence[str]) -> tuple[IndexArray, IndexArray]:
        """Buckets of several words' n-grams, word after word, and their number for each word."""
        return find_hash(self.hash).of_words(words, self)

    def to_manifest(self) -> dict[str, Any]:
        """The settings as the manifest's ``ngram_settings``; defaults of the hash are left out."""
        return {key: value for key, value in asdict(self).items() if _OPTIONAL.get(key) != value}

    @classmethod
    def from_manifest(cls, entry: object) -> NgramSettings:
        """The settings of a manifest's ``ngram_settings``; further keys are ignored."""
        if not isinstance(entry, Mapping) or not entry.keys() >= set(_REQUIRED):
            raise ModelFileError(f"n-gram settings need {', '.join(_REQUIRED)}, not {entry!r}")
        return cls(**{name: entry[name] for name in (*_REQUIRED, *_OPTIONAL) if name in entry})


_REQUIRED = ("min_n", "max_n", "num_buckets", "weight")
_OPTIONAL = {"hash": "fnv1a", "num_hashes": 1}
"""Settings that a manifest leaves out where they have these defaults."""


class NgramHash(NamedTuple):
    """A way to choose and hash the n-grams of words.

    Other distributions add theirs as entry points ``pocketintent.ngram_hashes``, by their names in
    model files.
    """

    max_hashes: int
    """Largest ``num_hashes``."""
    of_words: Callable[[Sequence[str], NgramSettings], tuple[IndexArray, IndexArray]]
    """See :meth:`NgramSettings.buckets_of_words`."""


_HASHES = {
    "fnv1a": NgramHash(
        1, lambda words, it: ngram_buckets_of_words(words, it.min_n, it.max_n, it.num_buckets)
    )
}


def find_hash(name: object) -> NgramHash:
    """The hash of a name, also of another distribution; ModelFileError if none is installed."""
    if not isinstance(name, str) or name not in _HASHES:
        from pocketintent.runtime.plugins import installed_plugins

        plugins = installed_plugins("pocketintent.ngram_hashes")
        if not isinstance(name, str) or name not in plugins:
            raise ModelFileError(
                f"the n-gram hash {shorten(name)} is unknown; installed: "
                f"{', '.join([*_HASHES, *plugins])}. The hashes of other programs come with the "
                "laboratory of pocketintent"
            )
        _HASHES[name] = plugins[name].load()
    return _HASHES[name]
