"""A corpus with its counted words, encoded once in the work folder of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from operator import methodcaller
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.atomic import write_atomically
from pocketintent.runtime.text.vocabulary import Vocabulary
from pocketintent.training.corpora.encoded import EncodedCorpus, Splitter, encode_corpus
from pocketintent.training.corpora.reader import read_corpus, read_texts
from pocketintent.training.corpora.tokenizers import TOKENIZER_SPECS, corpus_tokenizer, train_punkt
from pocketintent.training.corpora.word_counts import CountedVocabulary, count_vocabulary
from pocketintent.training.loop.run import Report

_VOCABULARY = "vocabulary.json"


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

    Of the settings ``tokenizer``, ``split``, ``min_count``, ``max_words`` and ``seed`` are read.
    With ``labelled`` the labels are counted and encoded too. A bad corpus, no word that is frequent
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
