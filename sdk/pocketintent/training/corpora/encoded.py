"""A corpus as word ids on disk: it may be larger than memory, and a resumed run reuses it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import IntArray
from pocketintent.training.corpora.reader import Text

Splitter = Callable[[str], list[str]]
"""A function from a line of a corpus to its sentences."""

_ARRAYS: dict[str, type[np.signedinteger[Any]]] = {
    "ids": np.int32,
    "sentences": np.int64,
    "documents": np.int64,
    "labels": np.int32,
}


@dataclass(frozen=True)
class EncodedCorpus:
    """Word ids of all sentences, end to end, as memory maps.

    Attributes:
        ids: Word ids, int32 [num_tokens].
        sentences: Where each sentence starts in ``ids``, int64 [num_sentences + 1].
        documents: Where each document (line) starts in ``sentences``, int64 [num_documents + 1].
        labels: Label id of each document, -1 for none, int32 [num_documents].
    """

    ids: NDArray[np.int32]
    sentences: IntArray
    documents: IntArray
    labels: NDArray[np.int32]

    @classmethod
    def load(cls, folder: Path) -> EncodedCorpus:
        """Map the four arrays that :func:`encode_corpus` wrote to a folder.

        Raises:
            OSError: A file of the corpus is missing.
        """
        return cls(
            *(
                # An empty file cannot be mapped.
                np.memmap(path, dtype, "r") if path.stat().st_size else np.empty(0, dtype)
                for path, dtype in _files(folder)
            )
        )


def encode_corpus(
    texts: Iterable[Text],
    to_ids: Callable[[str], list[int]],
    folder: Path,
    *,
    split: Splitter,
    label_ids: Mapping[str, int],
) -> EncodedCorpus:
    """Write a corpus as word ids, and map the files.

    Args:
        texts: The corpus, streamed once.
        to_ids: Function from a sentence to the ids of its known words.
        folder: Existing folder for the arrays.
        split: Function from a text to its sentences.
        label_ids: Id of each label; a text with another label, or with none, gets -1.

    Returns:
        The corpus, without the sentences and documents that have no known word.
    """
    ids, sentences, documents, labels = writers = [_Writer(*file) for file in _files(folder)]
    try:
        sentences.extend([0])
        documents.extend([0])
        for item in texts:
            encoded = [sentence for part in split(item.text) if (sentence := to_ids(part))]
            if not encoded:
                continue
            for sentence in encoded:
                ids.extend(sentence)
                sentences.extend([ids.length])
            documents.extend([sentences.length - 1])
            labels.extend([-1 if item.label is None else label_ids.get(item.label, -1)])
    finally:
        for writer in writers:
            writer.close()
    return EncodedCorpus.load(folder)


def ragged_ranges(starts: IntArray, lengths: IntArray) -> IntArray:
    """Concatenate the ranges ``starts[i] .. starts[i] + lengths[i] - 1``.

    Args:
        starts: First number of each range, int64 [num_ranges].
        lengths: Length of each range, int64 [num_ranges].

    Returns:
        int64 [sum of lengths].
    """
    ends = np.cumsum(lengths)
    numbers = np.arange(int(lengths.sum()), dtype=np.int64)
    numbers += np.repeat(starts - (ends - lengths), lengths)
    return numbers


def _files(folder: Path) -> list[tuple[Path, type[np.signedinteger[Any]]]]:
    return [(folder / f"{name}.bin", dtype) for name, dtype in _ARRAYS.items()]


class _Writer:
    """Appends numbers to a raw binary file, a block at a time."""

    _BLOCK = 1 << 16

    def __init__(self, path: Path, dtype: type[np.signedinteger[Any]]) -> None:
        self._file = path.open("wb")
        self._dtype = dtype
        self._pending: list[int] = []
        self.length = 0

    def extend(self, values: list[int]) -> None:
        self._pending += values
        self.length += len(values)
        if len(self._pending) >= self._BLOCK:
            self._flush()

    def close(self) -> None:
        self._flush()
        self._file.close()

    def _flush(self) -> None:
        self._file.write(np.array(self._pending, self._dtype).tobytes())
        self._pending.clear()
