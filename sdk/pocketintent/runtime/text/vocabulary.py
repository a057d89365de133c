"""The vocabulary: words in a fixed order, and their tensor in a model file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import IndexArray
from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.text.lost_words import LostWords

BYTES = "vocabulary.bytes"


class Vocabulary:
    """Words and their ids; the id of a word is its position, and its row in the model.

    Args:
        words: The words in the order of the model's rows, none empty and none repeated.
        lost: The words that the model had before it was pruned; none by default.

    Raises:
        ModelFileError: A word is empty or appears twice.
    """

    __slots__ = ("_ids", "lost", "words")

    def __init__(self, words: Sequence[str], lost: LostWords | None = None) -> None:
        self.words: list[str] = list(words)
        self.lost = LostWords() if lost is None else lost
        self._ids: dict[str, int] = dict(zip(self.words, range(len(self.words)), strict=True))
        if len(self._ids) != len(self.words):
            index, word = next((i, w) for i, w in enumerate(self.words) if self._ids[w] != i)
            raise ModelFileError(
                f"the vocabulary has {word!r} twice, at {index} and {self._ids[word]}; "
                "remove one of them and its row"
            )
        if "" in self._ids:
            raise ModelFileError(f"word {self._ids['']} of the vocabulary is empty")

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, token: object) -> bool:
        return token in self._ids

    def __repr__(self) -> str:
        return f"Vocabulary({len(self)} words)"

    def get(self, token: str) -> int | None:
        """Return the id of a token, or None if it is unknown."""
        return self._ids.get(token)

    def ids(self, tokens: Sequence[str]) -> list[int]:
        """Return the ids of the known tokens, in order; unknown tokens are dropped."""
        get = self._ids.get
        return [word_id for token in tokens if (word_id := get(token)) is not None]

    def unknown(self, tokens: Iterable[str]) -> list[str]:
        """Return the tokens that are not words of the vocabulary, in order."""
        ids = self._ids
        return [token for token in tokens if token not in ids]

    def first(self, words: Iterable[str]) -> str | None:
        """Return the word that comes first in the vocabulary, or None if it has none of them."""
        ids = self._ids
        return min(filter(ids.__contains__, words), key=ids.__getitem__, default=None)

    def select(self, ids: IndexArray) -> Vocabulary:
        """The words of some ids, in their order; the others become lost words."""
        chosen = [self.words[place] for place in ids.tolist()]
        return Vocabulary(chosen, self.lost.with_words(Vocabulary(chosen).unknown(self.words)))

    def ids_of_lists(self, token_lists: Sequence[Sequence[str]]) -> tuple[IndexArray, IndexArray]:
        """Return the ids of the known tokens of several lists; unknown tokens are dropped.

        Returns:
            The ids, list after list, intp [num_ids], and their number in each list, intp
            [num_lists].
        """
        tokens = chain.from_iterable(token_lists)
        ids = np.fromiter(map(self._ids.get, tokens, repeat(-1)), np.intp)
        counts = np.array([len(tokens) for tokens in token_lists], np.intp)
        is_known = ids >= 0
        lists = np.repeat(np.arange(len(counts)), counts)
        return ids[is_known], np.bincount(lists[is_known], minlength=len(counts))

    def to_tensors(self) -> dict[str, NDArray[Any]]:
        """Return ``vocabulary.bytes``, uint8 [total]: the words in UTF-8, a line feed between two.

        The tensors of the lost words follow. No token contains a line feed; offsets would take a
        tenth of a small model and double the time to load.

        Raises:
            ModelFileError: A word contains a line feed, or a lone surrogate.
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
        """Read a vocabulary that :meth:`to_tensors` wrote.

        Raises:
            ModelFileError: The tensor is missing, has a wrong type or is not UTF-8, or a word is
                empty or appears twice.
        """
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
