"""A corpus as word ids on disk: it may be larger than memory, and a resumed run reuses it."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import accumulate, chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import IntArray
from pocketintent.training.corpora.reader import Text

Splitter = Callable[[str], list[str]]
"""A function from a line of a corpus to its sentences."""

_ARRAYS = {"ids": "i", "sentences": "q", "documents": "q", "labels": "i"}
"""The files of a corpus and their numbers: ``i`` for int32, ``q`` for int64."""


@dataclass(frozen=True)
class EncodedCorpus:
    """Word ids of all sentences, end to end, as memory maps."""

    ids: NDArray[np.int32]
    """Word ids, [num_tokens]."""
    sentences: IntArray
    """Where each sentence starts in ``ids``, int64 [num_sentences + 1]."""
    documents: IntArray
    """Where each document (line) starts in ``sentences``, int64 [num_documents + 1]."""
    labels: NDArray[np.int32]
    """Label id of each document, -1 for none, [num_documents]."""

    @classmethod
    def load(cls, folder: Path) -> EncodedCorpus:
        """Map the arrays that :func:`encode_corpus` wrote; OSError if one is missing."""
        paths = {folder / f"{name}.bin": code for name, code in _ARRAYS.items()}
        arrays = (  # an empty file cannot be mapped
            np.memmap(path, code, "r") if path.stat().st_size else np.empty(0, code)
            for path, code in paths.items()
        )
        return cls(*arrays)


def encode_corpus(
    texts: Iterable[Text],
    to_ids: Callable[[str], list[int]],
    folder: Path,
    *,
    split: Splitter,
    label_ids: Mapping[str, int],
) -> EncodedCorpus:
    """Write a corpus, streamed once, as word ids to an existing folder, and map the files.

    ``to_ids`` gives the ids of a sentence's known words, ``split`` a text's sentences; those and
    the documents without a known word are left out. A label that has no id, or none, gets -1.
    """
    num_ids = num_sentences = 0
    with ExitStack() as stack:
        files = [stack.enter_context((folder / f"{name}.bin").open("wb")) for name in _ARRAYS]

        def write(*arrays: list[int]) -> None:
            for file, code, numbers in zip(files, _ARRAYS.values(), arrays, strict=True):
                file.write(array(code, numbers).tobytes())

        write([], [0], [0], [])
        for item in texts:
            encoded = [sentence for part in split(item.text) if (sentence := to_ids(part))]
            if not encoded:
                continue
            ids = list(chain.from_iterable(encoded))
            ends = [num_ids + end for end in accumulate(map(len, encoded))]
            num_ids, num_sentences = ends[-1], num_sentences + len(ends)
            label = -1 if item.label is None else label_ids.get(item.label, -1)
            write(ids, ends, [num_sentences], [label])
    return EncodedCorpus.load(folder)


def ragged_ranges(starts: IntArray, lengths: IntArray) -> IntArray:
    """Concatenate the ranges ``starts[i] .. starts[i] + lengths[i] - 1``, all int64."""
    ends = np.cumsum(lengths)
    numbers = np.arange(int(lengths.sum()), dtype=np.int64)
    numbers += np.repeat(starts - (ends - lengths), lengths)
    return numbers
