"""The vocabulary: words in a fixed order, those that pruning has lost, and both in a model file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import IndexArray
from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.text.ngrams import fnv1a

BYTES = "vocabulary.bytes"
"""The tensor of the words."""
LOST = "vocabulary.lost."
"""Prefix of the tensors of lost words; the number of the filter follows."""

MIN_LETTERS, MAX_LETTERS = 3, 16
"""Letters of the words that can be corrected, and of the lost words that are kept."""

NUM_HASHES = 5
_BITS_PER_WORD = 10  # of 1,000 other words, 10 are taken for a lost one; 8 bits would take 22


class Vocabulary(dict[str, int]):
    """The id of each word: its position, and its row in the model. It is never changed.

    ``words`` are in the order of the model's rows; ModelFileError if one is empty or repeated.
    ``lost`` are the words that the model had before it was pruned; none by default.
    """

    __slots__ = ("lost", "words")

    def __init__(self, words: Sequence[str], lost: LostWords | None = None) -> None:
        self.words: list[str] = list(words)
        self.lost = LostWords() if lost is None else lost
        super().__init__(zip(self.words, range(len(self.words)), strict=True))
        if len(self) != len(self.words):
            index, word = next((i, w) for i, w in enumerate(self.words) if self[w] != i)
            raise ModelFileError(
                f"the vocabulary has {word!r} twice, at {index} and {self[word]}; "
                "remove one of them and its row"
            )
        if "" in self:
            raise ModelFileError(f"word {self['']} of the vocabulary is empty")

    def __repr__(self) -> str:
        return f"Vocabulary({len(self)} words)"

    def ids(self, tokens: Sequence[str]) -> list[int]:
        """Return the ids of the known tokens, in order; unknown tokens are dropped."""
        return [word_id for token in tokens if (word_id := self.get(token)) is not None]

    def unknown(self, tokens: Iterable[str]) -> list[str]:
        """Return the tokens that are not words of the vocabulary, in order."""
        return [token for token in tokens if token not in self]

    def first(self, words: Iterable[str]) -> str | None:
        """Return the word that comes first in the vocabulary, or None if it has none of them."""
        return min(filter(self.__contains__, words), key=self.__getitem__, default=None)

    def select(self, ids: IndexArray) -> Vocabulary:
        """The words of some ids, in their order; the others become lost words."""
        chosen = [self.words[place] for place in ids.tolist()]
        return Vocabulary(chosen, self.lost.with_words(Vocabulary(chosen).unknown(self.words)))

    def ids_of_lists(self, token_lists: Sequence[Sequence[str]]) -> tuple[IndexArray, IndexArray]:
        """Return the ids of the known tokens of several lists; unknown tokens are dropped.

        The ids are intp [num_ids], list after list; with their number in each, intp [num_lists].
        """
        tokens = chain.from_iterable(token_lists)
        ids = np.fromiter(map(self.get, tokens, repeat(-1)), np.intp)
        counts = np.array([len(tokens) for tokens in token_lists], np.intp)
        is_known = ids >= 0
        lists = np.repeat(np.arange(len(counts)), counts)
        return ids[is_known], np.bincount(lists[is_known], minlength=len(counts))

    def to_tensors(self) -> dict[str, NDArray[Any]]:
        """Return ``vocabulary.bytes``, uint8 [total], and the tensors of the lost words.

        The words are in UTF-8, with a line feed between two, which no token contains; offsets would
        take a tenth of a small model and double the time to load. Raises ModelFileError for a word
        with a line feed or a lone surrogate.
        """
        text = "\n".join(self.words)
        if text.count("\n") != max(len(self) - 1, 0):
            word = next(word for word in self.words if "\n" in word)
            raise ModelFileError(f"the word {word!r} contains a line feed, which separates words")
        try:
            return {BYTES: np.frombuffer(text.encode(), np.uint8), **self.lost.to_tensors()}
        except UnicodeEncodeError as error:
            word = next(word for word in self.words if error.object[error.start] in word)
            raise ModelFileError(f"the word {word!r} is not valid Unicode") from error

    @classmethod
    def from_tensors(cls, tensors: Mapping[str, NDArray[Any]]) -> Vocabulary:
        """Read what :meth:`to_tensors` wrote; ModelFileError if a tensor is missing or damaged."""
        data = tensors.get(BYTES)
        if data is None:
            raise ModelFileError(f"the model has no vocabulary: {BYTES} is missing")
        if data.dtype != np.uint8 or data.ndim != 1:
            raise ModelFileError(f"{BYTES} must be uint8 [total], not {data.dtype} {data.shape}")
        try:
            text = data.tobytes().decode()
        except UnicodeDecodeError as error:
            raise ModelFileError(f"{BYTES} is not UTF-8: {error}") from error
        return cls(text.split("\n") if text else [], LostWords.from_tensors(tensors))


class LostWords:
    """Bloom filters (Bloom 1970) of words that were left out of a model: right, not corrected.

    ``word in lost`` is true for each such word, and for nearly no other. There is one filter for
    each time that words were left out; ``filters`` are their bytes. The specification for ports,
    with test vectors, is ``docs/correction.md``.
    """

    def __init__(self, filters: Sequence[bytes] = ()) -> None:
        self.filters = tuple(filters)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and any(
            all(bits[place >> 3] >> (place & 7) & 1 for place in _places(word, 8 * len(bits)))
            for bits in self.filters
        )

    def with_words(self, words: Iterable[str]) -> LostWords:
        """These words, and others of which those that can be corrected are added."""
        added = list(filter(can_be_corrected, words))
        if not added:
            return self
        bits = bytearray(-(-_BITS_PER_WORD * len(added) // 8))
        for word in added:
            for place in _places(word, 8 * len(bits)):
                bits[place >> 3] |= 1 << (place & 7)
        return LostWords([*self.filters, bytes(bits)])

    def to_tensors(self) -> dict[str, NDArray[Any]]:
        """The tensors of a model file: ``vocabulary.lost.0`` and so on, uint8 [num_bytes]."""
        arrays = (np.frombuffer(bits, np.uint8) for bits in self.filters)
        return {f"{LOST}{number}": array for number, array in enumerate(arrays)}

    @classmethod
    def from_tensors(cls, tensors: Mapping[str, NDArray[Any]]) -> LostWords:
        """Read what :meth:`to_tensors` wrote, perhaps nothing; ModelFileError for other tensors."""
        names = [name for name in tensors if name.startswith(LOST)]
        for name in names:
            if tensors[name].dtype != np.uint8 or tensors[name].ndim != 1 or not tensors[name].size:
                raise ModelFileError(f"{name} must be uint8 [num_bytes], of at least one byte")
        numbered = [f"{LOST}{number}" for number in range(len(names))]
        if set(names) != set(numbered):
            raise ModelFileError(f"{', '.join(sorted(names))}: these are not numbered from 0")
        return cls([tensors[name].tobytes() for name in numbered])


def can_be_corrected(word: str) -> bool:
    """Whether a word has the letters, a to z, and the length of one that is corrected."""
    return word.isascii() and word.isalpha() and MIN_LETTERS <= len(word) <= MAX_LETTERS


def _places(word: str, num_bits: int) -> Iterable[int]:
    """The bits of a word in a filter of a number of bits (Kirsch and Mitzenmacher 2006)."""
    data = word.encode("utf-8", "surrogatepass")
    first, step = fnv1a(data), fnv1a(data[::-1])
    # An odd divisor, since the lowest bit of the hash is the same in both directions.
    return ((first + number * step) % (num_bits - 1) for number in range(NUM_HASHES))
