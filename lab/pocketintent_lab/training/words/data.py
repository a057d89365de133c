"""The data of word vectors: a corpus as lines of tokens on disk, with its counted words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import numpy as np
import orjson

from pocketintent.runtime.files.atomic import write_atomically
from pocketintent.training.corpora.reader import read_texts
from pocketintent.training.corpora.terms import load_terms
from pocketintent.training.corpora.tokenizers import TOKENIZER_SPECS, corpus_tokenizer
from pocketintent.training.corpora.word_counts import CountedVocabulary, count_vocabulary
from pocketintent.training.loop.run import Report
from pocketintent_lab.training.terms.joiner import TermJoiner
from pocketintent_lab.training.words.settings import WordSettings

_CORPUS, _VOCABULARY = "corpus.txt", "vocabulary.json"
_MAX_TOKENS = 10_000  # of a line; gensim ignores the rest


@dataclass(frozen=True)
class TokenisedCorpus:
    """A corpus in the form that gensim reads."""

    path: Path
    """The file of tokens: a sentence a line, tokens separated by spaces."""
    words: CountedVocabulary
    """The words that get a vector."""
    num_tokens: int
    """Tokens in the file, including those of rare words."""


def tokenise_corpus(
    paths: Sequence[str | Path],
    terms: str | Path | None,
    folder: Path,
    settings: WordSettings,
    report: Report,
) -> None:
    """Tokenise a corpus and count its words, unless the folder already contains both.

    Args:
        paths: Corpus files, see :func:`read_corpus`; a tab separates the sentences of a line.
        terms: A file of terms, whose words are joined to one token each; None for none.
        folder: The work folder.
        settings: The settings of the run.
        report: Receives a line of progress.

    Raises:
        PocketIntentError: Bad corpus or terms, or no word is frequent enough.
    """
    if (folder / _VOCABULARY).exists():  # written last
        return
    report("reading the corpus")
    num_tokens = 0

    def count(sentences: Iterable[list[str]]) -> Iterator[list[str]]:
        nonlocal num_tokens
        for tokens in sentences:
            num_tokens += len(tokens)
            yield tokens

    with (folder / _CORPUS).open("w", encoding="utf-8", newline="\n") as file:
        words = count_vocabulary(
            count(_write(file, _read_tokens(paths, terms, settings.tokenizer))),
            min_count=settings.min_count,
            max_words=settings.max_words,
        )
    lists = {"words": words.words, "counts": words.counts.tolist(), "total": num_tokens}
    write_atomically(folder / _VOCABULARY, orjson.dumps(lists))


def load_tokenised(folder: Path) -> TokenisedCorpus:
    """The corpus that :func:`tokenise_corpus` wrote to a folder."""
    lists = orjson.loads((folder / _VOCABULARY).read_bytes())
    words = CountedVocabulary(lists["words"], np.array(lists["counts"], np.int64))
    return TokenisedCorpus(folder / _CORPUS, words, lists["total"])


def _read_tokens(
    paths: Sequence[str | Path], terms: str | Path | None, tokenizer: str
) -> Iterator[list[str]]:
    tokenize = corpus_tokenizer(TOKENIZER_SPECS[tokenizer])
    sentences = (tokenize(part) for text in read_texts(paths) for part in text.split("\t"))
    if terms is None:
        return sentences
    return map(TermJoiner(load_terms(terms)).join, sentences)


def _write(file: TextIO, sentences: Iterable[list[str]]) -> Iterator[list[str]]:
    """Pass sentences on, and write them as lines of tokens."""
    for tokens in sentences:
        for start in range(0, len(tokens), _MAX_TOKENS):
            file.write(" ".join(tokens[start : start + _MAX_TOKENS]) + "\n")
        yield tokens
