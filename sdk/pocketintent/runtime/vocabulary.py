"""The vocabulary: words in a fixed order, and the way they lie in a model file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pocketintent.runtime.errors import ModelFileError

BYTES = "vocabulary.bytes"
OFFSETS = "vocabulary.offsets"


class Vocabulary:
    """Words and their ids; the id of a word is its position, and its row in the model.

    Args:
        words: The words in the order of the model's rows; none empty, none twice.

    Raises:
        ModelFileError: A word is empty or stands twice.
    """

    __slots__ = ("_ids", "words")

    def __init__(self, words: Sequence[str]) -> None:
        self.words: list[str] = list(words)
        self._ids: dict[str, int] = dict(zip(self.words, range(len(self.words)), strict=True))
        if len(self._ids) != len(self.words):
            index, word = next((i, w) for i, w in enumerate(self.words) if self._ids[w] != i)
            raise ModelFileError(
                f"the vocabulary holds {word!r} twice, at {index} and {self._ids[word]}; "
                "every word needs one row of its own"
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
        """The id of a token, or None for an unknown one."""
        return self._ids.get(token)

    def ids(self, tokens: Sequence[str]) -> list[int]:
        """The ids of the known tokens, in order; unknown tokens are dropped."""
        get = self._ids.get
        return [word_id for token in tokens if (word_id := get(token)) is not None]

    def to_tensors(self) -> dict[str, np.ndarray]:
        """The vocabulary as tensors of a model file.

        Returns:
            ``vocabulary.bytes``, uint8 [total], the words in UTF-8 one after the other, and
            ``vocabulary.offsets``, uint32 [len + 1]: word ``i`` lies in bytes
            ``offsets[i]`` to ``offsets[i + 1]``.

        Raises:
            ModelFileError: A word holds a lone surrogate, which UTF-8 cannot write.
        """
        try:
            encoded = [word.encode() for word in self.words]
        except UnicodeEncodeError as error:
            raise ModelFileError(f"the word {error.object!r} is not valid Unicode") from error
        offsets = np.zeros(len(encoded) + 1, np.uint32)
        np.cumsum([len(word) for word in encoded], out=offsets[1:])
        return {BYTES: np.frombuffer(b"".join(encoded), np.uint8), OFFSETS: offsets}

    @classmethod
    def from_tensors(cls, tensors: Mapping[str, np.ndarray]) -> Vocabulary:
        """Read back what :meth:`to_tensors` wrote.

        Raises:
            ModelFileError: A tensor is missing or of another type, the offsets do not cover
                the bytes in rising order, a word is not UTF-8, is empty or stands twice.
        """
        if BYTES not in tensors or OFFSETS not in tensors:
            raise ModelFileError(f"the model has no vocabulary: {BYTES} or {OFFSETS} is missing")
        data, offsets = tensors[BYTES], tensors[OFFSETS]
        if data.dtype != np.uint8 or data.ndim != 1:
            raise ModelFileError(f"{BYTES} must be uint8 [total], not {data.dtype} {data.shape}")
        if offsets.dtype != np.uint32 or offsets.ndim != 1 or len(offsets) == 0:
            raise ModelFileError(
                f"{OFFSETS} must be uint32 [words + 1], not {offsets.dtype} {offsets.shape}"
            )
        if offsets[0] != 0 or offsets[-1] != len(data) or (offsets[1:] < offsets[:-1]).any():
            raise ModelFileError(f"{OFFSETS} must rise from 0 to {len(data)}, the size of {BYTES}")
        raw, bounds = data.tobytes(), offsets.tolist()
        try:
            # `map` over slices keeps the loop in C; a vocabulary is most of the load time.
            words = list(map(bytes.decode, map(raw.__getitem__, map(slice, bounds, bounds[1:]))))
        except UnicodeDecodeError as error:
            raise ModelFileError(f"{BYTES} is not UTF-8: {error}") from error
        return cls(words)
