"""A corpus as word ids on disk: it may be larger than memory, and a resumed run reuses it."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import accumulate, chain
from operator import methodcaller
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from pocketintent.runtime.arrays import IndexArray, IntArray
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.atomic import write_atomically
from pocketintent.runtime.text.vocabulary import Vocabulary
from pocketintent.training.corpora.reader import Text, read_corpus, read_texts
from pocketintent.training.corpora.tokenizers import TOKENIZER_SPECS, corpus_tokenizer, train_punkt
from pocketintent.training.corpora.word_counts import CountedVocabulary, count_vocabulary
from pocketintent.training.loop.run import Report

Splitter = Callable[[str], list[str]]  # of a line of a corpus into its sentences

_MOST_TEXTS = 2048  # in a batch: the similarities of a batch are a matrix of its texts
_VOCABULARY = "vocabulary.json"
_ARRAYS = {"ids": "i", "sentences": "q", "documents": "q", "labels": "i"}  # int32, int64


@dataclass(frozen=True)
class EncodedCorpus:
    """Word ids of all sentences, end to end, as memory maps."""

    ids: NDArray[np.int32]  # [num_tokens]
    sentences: IntArray  # where each sentence starts in ``ids``, int64 [num_sentences + 1]
    documents: IntArray  # where each document, a line, starts in ``sentences``, int64
    labels: NDArray[np.int32]  # label id of each document, -1 for none

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


@dataclass(frozen=True)
class PreparedCorpus:
    """The words, the encoded corpus, and the labels if it was prepared with labels."""

    words: CountedVocabulary
    labels: CountedVocabulary | None
    corpus: EncodedCorpus


def prepare_corpus(
    paths: Sequence[str | Path],
    folder: Path,
    settings: Any,
    report: Report,
    *,
    labelled: bool = False,
) -> None:
    """Count the words of a corpus and encode it, unless the work folder already contains both.

    The settings are ``tokenizer``, ``split``, ``min_count``, ``max_words`` and ``seed``. With
    ``labelled`` the labels are counted and encoded too. A bad corpus, no word that is frequent
    enough, or no label where labels are needed, is a PocketIntentError.
    """
    if (folder / _VOCABULARY).exists():  # written last
        return
    tokenize = corpus_tokenizer(TOKENIZER_SPECS[settings.tokenizer])
    split: Splitter = methodcaller("split", "\t")
    if settings.split == "punkt":
        report("learning where sentences end")
        split = train_punkt(read_texts(paths), seed=settings.seed)
    report("counting words")
    words = count_vocabulary(
        (tokenize(part) for text in read_texts(paths) for part in split(text)),
        min_count=settings.min_count,
        max_words=settings.max_words,
    )
    lists: dict[str, Any] = {"words": words.words, "counts": words.counts.tolist()}
    if labelled:
        labels = _count_labels(paths)
        lists |= {"labels": labels.words, "label_counts": labels.counts.tolist()}
    report(f"{len(words)} words; encoding the corpus")
    vocabulary = Vocabulary(words.words)
    label_ids = {label: number for number, label in enumerate(lists.get("labels", []))}
    encode_corpus(
        read_corpus(paths),
        lambda text: vocabulary.ids(tokenize(text)),
        folder,
        split=split,
        label_ids=label_ids,
    )
    write_atomically(folder / _VOCABULARY, orjson.dumps(lists))


def load_prepared(folder: Path) -> PreparedCorpus:
    """The corpus that :func:`prepare_corpus` wrote to a folder."""
    lists = orjson.loads((folder / _VOCABULARY).read_bytes())
    labels = None
    if "labels" in lists:
        labels = CountedVocabulary(lists["labels"], np.array(lists["label_counts"], np.int64))
    words = CountedVocabulary(lists["words"], np.array(lists["counts"], np.int64))
    return PreparedCorpus(words, labels, EncodedCorpus.load(folder))


def _count_labels(paths: Sequence[str | Path]) -> CountedVocabulary:
    labels = ([item.label] for item in read_corpus(paths) if item.label)
    first = next(labels, None)
    if first is None:
        raise PocketIntentError(
            "labelled mode needs a corpus of .jsonl lines with text and intent; no line of "
            f"{', '.join(map(str, paths))} has an intent"
        )
    return count_vocabulary(chain([first], labels))


def cut(order: IndexArray, lengths: IntArray, batch_words: int) -> list[IndexArray]:
    """Cut an order of texts, of so many words, into batches of about ``batch_words`` words.

    A batch has at most 2,048 texts; the words of its first may exceed ``batch_words``.
    """
    ends = lengths.cumsum()
    total = int(lengths.sum())
    num = max(1, -(-total // batch_words))
    bounds = ends.searchsorted(np.arange(1, num) * (total / num), side="right")
    return [
        part
        for batch in np.split(order, bounds)
        if len(batch)
        for part in np.array_split(batch, -(-len(batch) // _MOST_TEXTS))
    ]
