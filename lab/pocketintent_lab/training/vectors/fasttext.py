"""The vectors of fastText's, Sent2Vec's and floret's binary files."""

from __future__ import annotations

import mmap
from pathlib import Path

import numpy as np

from pocketintent.runtime.errors import ModelFileError, PocketIntentError
from pocketintent.runtime.text.ngrams import NgramSettings
from pocketintent.training.vectors.table import TermVectors
from pocketintent_lab.training.vectors.fasttext_file import FastTextFile, read_file
from pocketintent_lab.training.vectors.subword_means import NgramTable, read_words

_SUPERVISED = 3
_SENT2VEC = 4
_PLACEHOLDER = b"<PLACEHOLDER>"  # Sent2Vec's row for a word that is left out


def read_fasttext(
    data: mmap.mmap, path: Path, limit: int | None, *, subwords: bool = False
) -> TermVectors:
    """Read the words' vectors of a binary file, as fastText's ``getWordVector`` returns them.

    In fastText the vector of a word is the mean of its row and the rows of its n-grams, in floret
    the mean of the n-grams' rows, in Sent2Vec its row. The tables stay on disk: memory is needed
    for the words' vectors and, of a quantised model, for the n-grams' if they are read too.

    Args:
        data: The file.
        path: Its name, for messages.
        limit: Number of words to read; None for all.
        subwords: Whether to read the n-grams as well; a pruned model has none to read.

    Returns:
        The words, most frequent first, their vectors, and the n-grams if they were asked for.

    Raises:
        PocketIntentError: The file is truncated, damaged or of another version, or a word is not
            UTF-8, a duplicate or has a vector with NaN; the message has the byte.
    """
    file = read_file(data, path)
    ngrams = _ngram_table(file, path)
    words, places, own = file.words, file.places, file.table
    if file.model == _SENT2VEC and words[:1] == [_PLACEHOLDER]:
        words, places = words[1:], places[1:]
        own = own.select(slice(1, None))
    marks = [f"byte {place}" for place in places[:limit]]
    terms, vectors = read_words(
        path, words[:limit], marks, own, ngrams, prefers_ngrams=file.is_floret
    )
    if ngrams is None or not subwords:
        return TermVectors(terms, vectors)
    place = f"table at byte {file.table_place}"
    return TermVectors(terms, vectors, ngrams.to_subwords(path, place))


def _ngram_table(file: FastTextFile, path: Path) -> NgramTable | None:
    """The n-grams of characters; None in a model without.

    The buckets of Sent2Vec are those of pairs of words, although its settings name characters.
    """
    # Supervised models of version 11 have no n-grams, whatever their settings name.
    old = file.version == 11 and file.model == _SUPERVISED
    has_none = file.max_n < 1 or old or file.model == _SENT2VEC
    if not file.is_floret and (has_none or file.num_buckets == 0):
        return None
    try:
        settings = NgramSettings(
            max(file.min_n, 1),
            file.max_n,
            file.num_buckets,
            hash="floret" if file.is_floret else "fasttext",
            num_hashes=file.num_hashes if file.is_floret else 1,
        )
    except ModelFileError as error:
        raise PocketIntentError(f"{path}: {error}") from error
    table = file.table.select(slice(len(file.words), None))
    if file.pruned is None:
        return NgramTable(table, settings)
    rows = np.full(file.num_buckets, -1, np.intp)
    rows[file.pruned[:, 0]] = file.pruned[:, 1]
    return NgramTable(table, settings, rows)
