"""Vectors that gensim saved: ``KeyedVectors`` and ``FastTextKeyedVectors``, with their side files.

A file is a pickle; large arrays lie beside it, ``words.kv.vectors.npy`` beside ``words.kv``, or
``words.kv.gz.vectors.npz`` beside a compressed one. gensim is not needed to read them.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.errors import ModelFileError, PocketIntentError
from pocketintent.runtime.files.regular import open_regular
from pocketintent.runtime.quantization.matrices import DenseMatrix
from pocketintent.runtime.text.ngrams import NgramSettings
from pocketintent.training.vectors.rows import MAX_DIM
from pocketintent.training.vectors.table import TermVectors
from pocketintent_lab.training.vectors.restricted_pickle import PickledArray, load_object
from pocketintent_lab.training.vectors.subword_means import NgramTable, read_words

PICKLES = tuple(bytes([0x80, protocol]) for protocol in range(2, 6))
"""The first bytes of a pickle, protocols 2 to 5."""

_ARRAY = "val"  # the name of an array in a compressed side file


def read_keyed_vectors(
    file: BinaryIO, path: Path, limit: int | None, *, subwords: bool = False
) -> TermVectors:
    """Read vectors that gensim saved; nothing that the pickle names is run.

    Args:
        file: The unpacked file, at its beginning.
        path: Its name, for messages and side files.
        limit: Number of words to read; None for all.
        subwords: Whether to read FastText's n-grams as well.

    Returns:
        The words in gensim's order, their vectors, and the n-grams if there are any and they were
        asked for.

    Raises:
        PocketIntentError: The file or a side file is missing, damaged or of another kind, the
            numbers of words and vectors differ, or a word or its vector is bad.
    """
    state = load_object(file, path).state
    words = _words(state, path)
    if "vectors_ngrams" in _array_names(state):
        ngrams = _ngram_table(state, path)
        own = _matrix(state, path, "vectors_vocab")
    else:
        ngrams = None
        own = _matrix(state, path, "vectors" if "vectors" in _array_names(state) else "syn0")
    if len(words) != len(own):
        raise PocketIntentError(f"{path}: has {len(words)} words, but {len(own)} vectors")
    if ngrams is not None and own.dim != ngrams.table.dim:
        raise PocketIntentError(
            f"{path}: the words have {own.dim} dimensions, but the n-grams {ngrams.table.dim}"
        )
    # Surrogates, which no UTF-8 has, are reported when the word is added.
    data = [word.encode("utf-8", "surrogatepass") for word in words[:limit]]
    places = [f"word {number}" for number in range(1, len(data) + 1)]
    terms, vectors = read_words(path, data, places, own, ngrams)
    if ngrams is None or not subwords:
        return TermVectors(terms, vectors)
    return TermVectors(terms, vectors, ngrams.to_subwords(path, "'vectors_ngrams'"))


def _words(state: Mapping[str, Any], path: Path) -> list[str]:
    """The words by their row; gensim renamed their list in version 4."""
    names = ("index_to_key", "index2word", "index2entity")
    words = next((state[name] for name in names if name in state), None)
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise PocketIntentError(
            f"{path}: the pickle has no list of words; a file that KeyedVectors.save of gensim "
            "wrote has one"
        )
    if not words:
        raise PocketIntentError(f"{path}: contains no vectors")
    return words


def _ngram_table(state: Mapping[str, Any], path: Path) -> NgramTable | None:
    """The n-grams of FastText; None if it was trained without."""
    if state.get("compatible_hash") is not True:
        raise PocketIntentError(
            f"{path}: FastText of a gensim before 3.7.2, whose hash of n-grams was another; "
            "load it in gensim 3.8.3 and save it again"
        )
    min_n, max_n, num_buckets = (_number(state, path, k) for k in ("min_n", "max_n", "bucket"))
    if max_n < 1 or num_buckets == 0:
        return None
    table = _matrix(state, path, "vectors_ngrams")
    try:
        settings = NgramSettings(max(min_n, 1), max_n, num_buckets, hash="fasttext")
    except ModelFileError as error:
        raise PocketIntentError(f"{path}: {error}") from error
    if len(table) != settings.num_buckets:
        raise PocketIntentError(
            f"{path}: has {len(table)} vectors of n-grams for {settings.num_buckets} buckets"
        )
    return NgramTable(table, settings)


def _number(state: Mapping[str, Any], path: Path, name: str) -> int:
    number = state.get(name)
    if type(number) is not int:
        raise PocketIntentError(f"{path}: {name!r} in the pickle is not a whole number")
    return number


def _array_names(state: Mapping[str, Any]) -> set[str]:
    """The names of the arrays in the pickle and beside it."""
    inside = {name for name, value in state.items() if isinstance(value, PickledArray)}
    beside = state.get("__numpys", [])
    return inside | {name for name in beside if isinstance(name, str)}


def _matrix(state: Mapping[str, Any], path: Path, name: str) -> DenseMatrix:
    """An array of vectors, from the pickle or its side file."""
    value = state.get(name)
    place = path
    if isinstance(value, PickledArray):
        array = value.array
    elif name in _array_names(state):
        place = _side_file(path, name)
        array = _read_side_file(place)
    else:
        raise PocketIntentError(
            f"{path}: the pickle has no {name!r}; a file that KeyedVectors.save of gensim wrote "
            "has it"
        )
    if array.ndim != 2 or array.dtype.kind != "f" or not 1 <= array.shape[1] <= MAX_DIM:
        raise PocketIntentError(
            f"{place}: {name!r} is {array.dtype} {list(array.shape)} instead of a matrix of floats"
        )
    vectors: FloatArray = array.astype(np.float32, copy=False)
    return DenseMatrix(vectors)


def _side_file(path: Path, name: str) -> Path:
    for suffix in ("npy", "npz"):
        place = path.with_name(f"{path.name}.{name}.{suffix}")
        if place.exists():
            return place
    raise PocketIntentError(
        f"{path}: the file {path.name}.{name}.npy is missing; gensim saved it beside this file, "
        "and both must be moved or renamed together"
    )


def _read_side_file(path: Path) -> NDArray[Any]:
    """An array, memory-mapped unless it is compressed."""
    try:
        with open_regular(path):
            pass
        loaded = np.load(path, mmap_mode="r", allow_pickle=False)
        array = loaded if isinstance(loaded, np.ndarray) else loaded[_ARRAY]
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise PocketIntentError(f"{path}: is not an array that gensim saved: {error}") from error
    return np.asarray(array)
